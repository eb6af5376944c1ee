// Purpose: the marks of return addresses that were asked for before, as the rule cache has their
// rules; what is not in it is looked up in the session, by module and place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "route/session.hpp"

namespace mallard::route {

class address_cache {
 public:
  // Takes memory; false when there is none.
  bool open(session& all) noexcept;
  // Forgets everything: a module was unloaded.
  void clear() noexcept;

  std::uint32_t marks_of(std::uint64_t ip) noexcept {
    entry& at = entries_[(ip * 0x9e37'79b9'7f4a'7c15) >> (64 - bits)];
    const std::uint64_t found = at.marks.load(std::memory_order_relaxed);
    if ((at.key.load(std::memory_order_relaxed) ^ found) == ip) [[likely]] {
      return static_cast<std::uint32_t>(found);
    }
    return find_slowly(ip, at);
  }

  // The place, as a return address, of the function that a direct call before `ip` calls; 0: there
  // is none.
  static std::uint64_t called_before(std::uint64_t ip) noexcept;

  // The session's number of the address; 0: it lies in no module, or there is no room.
  std::uint64_t key_of(std::uint64_t ip) noexcept;

 private:
  static constexpr unsigned bits = 14;
  struct entry {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint64_t> marks;
  };

  [[gnu::noinline, gnu::cold]] std::uint32_t find_slowly(std::uint64_t ip, entry& at) noexcept;
  std::uint32_t marks_in_session(std::uint64_t key) noexcept;

  session* all_ = nullptr;
  char program_[path_bytes] = {};  // whose process it is
  entry* entries_ = nullptr;
};

}  // namespace mallard::route
