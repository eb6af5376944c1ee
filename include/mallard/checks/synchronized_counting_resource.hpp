// Purpose: a counting_resource for several threads: each counts for itself, without a lock, and
// counts() adds up.
//
//   mallard::synchronized_multipool_resource pool;
//   mallard::synchronized_counting_resource counter("requests", &pool);
//   std::jthread other([&] { std::pmr::vector<int> theirs(100, &counter); });
//   std::pmr::vector<int> mine(100, &counter);
//   assert(counter.counts().allocations >= 1);
//
// Complexity: some thirty instructions more than upstream; an atomic addition when a thread has
// changed what is in use by 64 KiB or 256 blocks since its last one. Takes 2 KiB, plus 1 KiB for
// each thread. Thread-safety: any thread may call all members if it may call the upstream's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "mallard/checks/allocation_counts.hpp"
#include "mallard/detail/checks/counting_cell.hpp"
#include "mallard/detail/checks/counting_registry.hpp"
#include "mallard/detail/checks/thread_number.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/allocate_from.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

class MALLARD_API synchronized_counting_resource final
    : public detail::by_base<synchronized_counting_resource> {
 public:
  // Effects: counts what passes to `upstream`, which must outlive this object.
  explicit synchronized_counting_resource(
      resource_ref upstream = std::pmr::new_delete_resource()) noexcept
      : synchronized_counting_resource(nullptr, upstream, 0) {}
  // Effects: as above, and is in the reports of counting_report.hpp until it is destroyed. `name`
  // must live as long.
  explicit synchronized_counting_resource(
      const char* name, resource_ref upstream = std::pmr::new_delete_resource()) noexcept
      : synchronized_counting_resource(name, upstream, 0) {}
  synchronized_counting_resource(std::nullptr_t) = delete;
  synchronized_counting_resource(const synchronized_counting_resource&) = delete;
  synchronized_counting_resource& operator=(const synchronized_counting_resource&) = delete;
  ~synchronized_counting_resource() override;

  // Errors: what the upstream throws; then nothing is counted.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    void* const block = detail::allocate_from(*upstream_, bytes, alignment);
    if (own_cell* const own = cell_of_this_thread()) [[likely]] {
      own->on_allocate(bytes, alignment);
      if (own->is_far()) [[unlikely]]
        tell(*own);
    } else {
      of_others_.on_allocate<detail::writers::many>(bytes, alignment);
    }
    return block;
  }
  MALLARD_ALWAYS_INLINE void deallocate(void* block, std::size_t bytes,
                                        std::size_t alignment = alignof(std::max_align_t)) {
    upstream_->deallocate(block, bytes, alignment);
    if (own_cell* const own = cell_of_this_thread()) [[likely]] {
      own->on_deallocate(bytes);
      if (own->is_far()) [[unlikely]]
        tell(*own);
    } else {
      of_others_.on_deallocate<detail::writers::many>(bytes);
    }
  }

  // Returns: the counts of all threads since construction. The peaks are exact if only one thread
  // has used the resource, else within 64 KiB and 256 blocks for each thread. Calls that are just
  // being counted may be missing. O(threads * size classes).
  allocation_counts counts() const noexcept;
  // Returns: the counts of the calling thread, and of ended threads that had its number. In use is
  // what it allocated less what it freed, also of other threads' blocks; 0 if negative. The peaks
  // are its own.
  allocation_counts counts_of_this_thread() const noexcept;

  const char* name() const noexcept { return counted_.name(); }  // null if it has none
  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

 private:
  static constexpr std::uint64_t far_bytes = 64 * 1024;
  static constexpr std::uint64_t far_blocks = 256;

  struct own_cell : detail::counting_cell {
    std::uint64_t told_bytes = 0;  // of what is in use, to the others
    std::uint64_t told_blocks = 0;

    bool is_far() const noexcept {
      return in_use_bytes.get() - told_bytes + far_bytes > 2 * far_bytes ||
             in_use_blocks.get() - told_blocks + far_blocks > 2 * far_blocks;
    }
  };

  synchronized_counting_resource(const char* name, resource_ref upstream, int) noexcept
      : upstream_(upstream), counted_(name, this, &read) {}

  MALLARD_ALWAYS_INLINE own_cell* cell_of_this_thread() noexcept {
    own_cell* const own = cells_[detail::this_thread_number].load(detail::order::relaxed);
    return own != nullptr ? own : make_cell();
  }
  // Null for threads that have no number, or no memory.
  MALLARD_COLD own_cell* make_cell() noexcept;
  MALLARD_COLD void tell(own_cell& own) noexcept;
  static void read(const void* self, detail::counted_totals& sum) noexcept;

  std::pmr::memory_resource* upstream_;
  // By the thread's number; that of 0 stays null.
  detail::atomic<own_cell*> cells_[detail::most_thread_numbers] = {};
  detail::counting_cell of_others_;
  detail::tally told_bytes_;  // by all threads, modulo 2^64
  detail::tally told_blocks_;
  mutable detail::tally peak_bytes_;
  mutable detail::tally peak_blocks_;
  detail::counted counted_;  // last: a report reads the others
};

}  // namespace mallard::inline v1
