// Purpose: numbers for heaps, because the mark of a slice has no room for an address.
//
// A thread's heap keeps its number for ever. User heaps give theirs back when they are destroyed,
// into a stack whose links lie where the heaps' addresses were. Takes no lock, so a fork needs
// none.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

class heap_numbers {
 public:
  static constexpr unsigned bits = 16;
  static constexpr std::size_t most = std::size_t{1} << bits;
  // Nobody's number.
  static constexpr std::size_t none = 0;

  // `none` when all are taken. One of them waits for the `last` heap.
  std::size_t take(void* heap, bool last = false) noexcept {
    std::size_t number = last ? most - 1 : take_again();
    if (number == none) number = taken_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (number >= most - 1 && !last) {
      taken_.store(most - 2, std::memory_order_relaxed);
      return none;
    }
    heaps_[number].store(heap, std::memory_order_relaxed);
    return number;
  }

  void give_back(std::size_t number) noexcept {
    std::uint64_t top = top_.load(std::memory_order_relaxed);
    do {
      heaps_[number].store(reinterpret_cast<void*>(top % most), std::memory_order_relaxed);
    } while (!top_.compare_exchange_weak(top, changed(top, number), std::memory_order_release,
                                         std::memory_order_relaxed));
  }

  // A mark with the number was written after the number was taken, so a relaxed load is enough.
  MALLARD_ALWAYS_INLINE void* heap_of(std::size_t number) const noexcept {
    return heaps_[number].load(std::memory_order_relaxed);
  }

 private:
  // If others took the number meanwhile, the count has changed, and what was read is not used.
  std::size_t take_again() noexcept {
    std::uint64_t top = top_.load(std::memory_order_acquire);
    std::size_t after = none;
    do {
      if (top % most == none) return none;
      after = address_of(heap_of(top % most)) % most;
    } while (!top_.compare_exchange_weak(top, changed(top, after), std::memory_order_acquire));
    return top % most;
  }
  static constexpr std::uint64_t changed(std::uint64_t top, std::size_t number) noexcept {
    return (top / most + 1) * most + number;
  }

  // All is zero at first, so that it takes no room in files.
  std::atomic<std::size_t> taken_{0};
  std::atomic<std::uint64_t> top_{none};  // a number, and above it the count of changes
  std::array<std::atomic<void*>, most> heaps_{};
};

extern constinit heap_numbers the_heap_numbers;

}  // namespace mallard::inline v1::detail
