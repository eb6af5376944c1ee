// Purpose: which loaded module an address lies in.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstdint>

namespace mallard::unwind {

struct module_range {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  const link_map* module = nullptr;   // null: the address is in none
  const void* frame_table = nullptr;  // .eh_frame_hdr
};

// Takes no lock, so it may be called anywhere, in signal handlers too.
inline module_range module_of(std::uint64_t ip) noexcept {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  dl_find_object found{};
  if (_dl_find_object(reinterpret_cast<void*>(ip), &found) != 0) return {};
  return {reinterpret_cast<std::uint64_t>(found.dlfo_map_start),
          reinterpret_cast<std::uint64_t>(found.dlfo_map_end), found.dlfo_link_map,
          found.dlfo_eh_frame};
#else
  (void)ip;  // a C library without this look-up
  return {};
#endif
}

}  // namespace mallard::unwind
