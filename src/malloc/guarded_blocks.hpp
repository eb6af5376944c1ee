// Purpose: blocks on pages of their own, which fault when somebody touches what is before or behind
// them, or the block once it is freed: so a wrong access is found where it happens, in a program as
// it runs in production (after GWP-ASan: Serebryany and others, 2023).
//
// A slot is a page; all slots lie in one run of slices, with a page that faults between each two.
// Most blocks end with their page, so that what is beyond them faults; each fourth begins with it.
// The rest of the page next to a block holds a pattern, which is checked when the block is freed. A
// freed slot is the last to be used again. The handler of SIGSEGV reports an access to a page that
// is not there, with the stacks of the access, the allocation, and the free.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "malloc/call_stack.hpp"
#include "malloc/lock.hpp"

namespace mallard::inline v1::detail {

class guarded_blocks {
 public:
  constexpr guarded_blocks() noexcept = default;

  // Takes memory and the signal; false when there is none.
  bool open() noexcept;
  // Afterwards faults end the program as they would without us.
  void stop_reporting() noexcept;
  bool holds(const void* p) const noexcept {
    return address_of(p) - begin_.load(std::memory_order_relaxed) < bytes_;
  }

  // Null when all slots are taken, or the block does not fit one.
  void* allocate(std::size_t bytes, std::size_t alignment, const call_stack& from) noexcept;
  // Requires that it holds the address. Ends the program where no block in use begins, or where the
  // bytes around the block were overwritten.
  void deallocate(void* p) noexcept;
  std::size_t bytes_of(const void* p) noexcept;

  // Reports the misuse of the address, which was touched where the stack says; false when it is in
  // none of these blocks.
  bool report(const void* touched, bool writing, const call_stack& at) noexcept;

  futex_lock& lock() noexcept { return lock_; }

 private:
  static constexpr std::size_t most_slots = 255;
  static constexpr std::size_t most_pattern_bytes = 64;

  enum class state : std::uint8_t { unused, in_use, freed };
  struct slot {
    std::byte* block;
    std::size_t bytes;
    state is;
    call_stack allocated;
    call_stack freed;
  };

  std::byte* page_of(std::size_t i) const noexcept;
  std::size_t slot_of(const void* p) const noexcept;
  // Visits the bytes next to the block, on each side.
  template <class Visit>
  void for_each_near(const slot& s, std::byte* page, Visit&& visit) noexcept;
  [[noreturn]] void end(const char* what, const void* at, const slot& s) noexcept;
  // Also with the stack of the call.
  [[noreturn]] void end(const char* what, const void* at, const slot& s, const char* title,
                        const call_stack& from) noexcept;
  void describe(const char* what, const void* at, const slot& s) noexcept;

  futex_lock lock_;
  std::atomic<std::uintptr_t> begin_{0};  // of the first guard page
  std::size_t bytes_ = 0;
  std::size_t page_bytes_ = 0;
  std::size_t slots_ = 0;
  slot* table_ = nullptr;
  // Slots that may be used, the next first.
  std::array<std::uint8_t, most_slots + 1> queue_{};
  std::size_t first_ = 0;
  std::size_t waiting_ = 0;
  unsigned turn_ = 0;
};

extern constinit guarded_blocks the_guarded;

}  // namespace mallard::inline v1::detail
