// Purpose: the verbs and figures that the kinds of memory over one range of addresses share:
// mapped, huge, numa and protected ones.
//
//   mallard::mapped_resource pages({.limit_bytes = 64 << 20});
//   void* p = pages.allocate(100'000);
//   std::size_t of_64_mib = pages.stats().usable_bytes;
//   pages.deallocate(p, 100'000);
//   pages.trim();  // what is free goes back to the system
//
// Addresses are reserved at once and made usable from the front as blocks need them. The kinds
// differ in how they do that. Complexity: O(1) for blocks up to 1 KiB of a size that was freed
// before, else O(log n) in the number of free parts, plus a system call per step that makes more
// usable. Thread-safety: none; one thread at a time.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/memory/quick_extents.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/memory/memory_error.hpp"

namespace mallard::inline v1 {

namespace detail {
struct refusal;
}  // namespace detail

struct memory_stats {
  std::size_t limit_bytes = 0;   // never more
  std::size_t usable_bytes = 0;  // of these, obtained from the system so far
  std::size_t in_use_bytes = 0;  // of these, in blocks, rounded up as the kind does
  std::size_t peak_bytes = 0;    // the most that was ever in use
  std::size_t in_use_blocks = 0;
};

// The base of these resources; it is not made by itself.
class MALLARD_API range_resource : public detail::by_base<range_resource> {
 public:
  // The largest alignment of a block.
  static constexpr std::size_t largest_alignment = std::size_t{1} << 30;

  range_resource(const range_resource&) = delete;
  range_resource& operator=(const range_resource&) = delete;

  // Returns: `bytes` bytes aligned to `alignment`, never null.
  // Errors: throws `memory_error`, a `std::bad_alloc`; then nothing has changed.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  // Effects: as `allocate`, but returns null instead of throwing; makes no exception.
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept;
  // Effects: frees a block; `bytes` is that of its allocation. The resource keeps the memory.
  void deallocate(void* p, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: frees all blocks and returns all memory to the system; the addresses stay reserved.
  // Protected memory has to be writable.
  void release() noexcept;
  // Effects: returns the memory of whole free pages to the system; they stay usable. Does nothing
  // for locked, explicit huge and protected pages.
  void trim() noexcept;

  // Returns: whether the byte at `p` is in memory that the resource allocates from.
  bool owns(const void* p) const noexcept {
    return detail::address_of(p) - detail::address_of(begin_) < usable_bytes_;
  }
  memory_stats stats() const noexcept;

 protected:
  // For kinds of memory whose steps grow.
  static constexpr std::size_t usual_largest_step = std::size_t{4} << 20;
  struct shape {
    const char* who;
    std::size_t limit_bytes;
    std::size_t step_bytes = 0;    // the least to make usable at once; 0: 64 KiB
    std::size_t alignment = 0;     // of the range, and of what is made usable; 0: a page
    bool guards = false;           // pages before and behind that are never usable
    std::size_t largest_step = 0;  // steps grow up to it with what is usable
  };
  // Errors: memory_error when the limit is 0 or the system refuses the addresses.
  explicit range_resource(const shape& what);
  ~range_resource() override;

  std::byte* begin() const noexcept { return begin_; }
  std::size_t usable_bytes() const noexcept { return usable_bytes_; }
  // Sets whether blocks may be allocated and freed from now on; at first they may.
  void set_writable(bool now) noexcept { is_writable_ = now; }

 private:
  // Makes the next `bytes` usable. Returns 0, or the system's error: then nothing has changed.
  virtual int extend(std::byte* p, std::size_t bytes) noexcept = 0;
  bool grow(std::size_t bytes, std::size_t alignment, detail::refusal& why) noexcept;
  void* take_at_once(std::size_t bytes, std::size_t alignment) noexcept;
  MALLARD_COLD void* take(std::size_t bytes, std::size_t alignment, detail::refusal& why) noexcept;
  [[noreturn]] MALLARD_COLD void fail(std::size_t bytes, std::size_t alignment,
                                      const detail::refusal& why);
  bool is_writable_ = true;
  const char* who_;
  std::byte* begin_ = nullptr;
  std::size_t limit_bytes_;
  std::size_t unit_bytes_;
  std::size_t step_bytes_;
  std::size_t largest_step_;
  std::size_t guard_bytes_ = 0;  // on each side
  std::size_t usable_bytes_ = 0;
  std::size_t peak_bytes_ = 0;
  std::size_t in_use_blocks_ = 0;
  detail::quick_extents free_;
};

}  // namespace mallard::inline v1
