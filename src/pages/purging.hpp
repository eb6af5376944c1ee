// Purpose: memory that goes back to the system and is zero afterwards, whatever the system says:
// pages that are locked stay.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

// False when the pages stay as they are.
inline bool has_purged(void* p, std::size_t bytes) noexcept {
  const int kept = errno;
  errno = 0;
  os::purge(p, bytes);
  const bool done = errno == 0;
  errno = kept;
  return done;
}

// The parts of pages at both ends are cleared, and all if the system refuses.
inline void purge_to_zero(void* p, std::size_t bytes) noexcept {
  auto* const begin = static_cast<std::byte*>(p);
  const std::size_t page = os::page_size();
  const std::size_t head = smaller(round_up(address_of(p), page) - address_of(p), bytes);
  const std::size_t tail = smaller(address_of(begin + bytes) % page, bytes - head);
  if (!has_purged(p, bytes)) {
    std::memset(p, 0, bytes);
    return;
  }
  std::memset(begin, 0, head);
  std::memset(begin + bytes - tail, 0, tail);
}

}  // namespace mallard::inline v1::detail
