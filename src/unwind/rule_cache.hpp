// Purpose: the frame rules of addresses that were asked for before: a table for all threads, read
// and written without locks. An entry's key is its address, exclusive-or its rule: what two threads
// wrote half each fits no address.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "unwind/frame_rule.hpp"

namespace mallard::unwind {

class rule_cache {
 public:
  // Takes memory; false when there is none.
  bool open() noexcept;
  // Forgets everything: a module was unloaded.
  void clear() noexcept;

  frame_rule find(std::uint64_t ip) noexcept {
    entry& at = entries_[(ip * 0x9e37'79b9'7f4a'7c15) >> (64 - bits)];
    const std::uint64_t rule = at.rule.load(std::memory_order_relaxed);
    if ((at.key.load(std::memory_order_relaxed) ^ rule) == ip) [[likely]] {
      return std::bit_cast<frame_rule>(rule);
    }
    return find_slowly(ip, at);
  }

 private:
  static constexpr unsigned bits = 15;
  struct entry {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint64_t> rule;
  };

  [[gnu::noinline, gnu::cold]] frame_rule find_slowly(std::uint64_t ip, entry& at) noexcept;

  entry* entries_ = nullptr;
};

}  // namespace mallard::unwind
