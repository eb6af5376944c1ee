// Purpose: gives memory back to the system and ensures that it is zero afterwards: the system does
// not purge locked pages.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

// False when the pages stay as they are.
inline bool has_purged(void* p, std::size_t bytes, bool locked_too = false) noexcept {
  const int kept = errno;
  errno = 0;
  os::purge(p, bytes, locked_too);
  const bool done = errno == 0;
  errno = kept;
  return done;
}

// Clears the partial pages at both ends, and everything if the system refuses.
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
