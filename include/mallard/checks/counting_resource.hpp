// Purpose: forwards to an upstream and counts blocks and bytes: in use, the peak, in all, by size
// class and by scope.
//
//   mallard::counting_resource counter("numbers");
//   std::pmr::vector<int> numbers(&counter);
//   numbers.assign(1000, 7);
//   assert(counter.counts().in_use_bytes == 4000);
//   std::puts(mallard::counting_table().c_str());  // counting_report.hpp: of all that have a name
//
// Complexity: some twenty instructions more than upstream; no lock, no atomic addition.
// Thread-safety: one thread at a time calls allocate and deallocate; any thread may call counts()
// at any time. synchronized_counting_resource is for several threads.
//
// Source of the idea: RMM's statistics_resource_adaptor with its stack of counters; the counting
// allocators of BDE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "mallard/checks/allocation_counts.hpp"
#include "mallard/detail/checks/counting_cell.hpp"
#include "mallard/detail/checks/counting_registry.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/allocate_from.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

class MALLARD_API counting_resource final : public detail::by_base<counting_resource> {
 public:
  // Effects: counts what passes to `upstream`, which must outlive this object.
  explicit counting_resource(resource_ref upstream = std::pmr::new_delete_resource()) noexcept
      : counting_resource(nullptr, upstream, 0) {}
  // Effects: as above, and is in the reports of counting_report.hpp until it is destroyed. `name`
  // must live as long; several resources may share one.
  explicit counting_resource(const char* name,
                             resource_ref upstream = std::pmr::new_delete_resource()) noexcept
      : counting_resource(name, upstream, 0) {}
  counting_resource(std::nullptr_t) = delete;
  counting_resource(const counting_resource&) = delete;
  counting_resource& operator=(const counting_resource&) = delete;
  ~counting_resource() override = default;

  // Errors: what the upstream throws; then nothing is counted.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    void* const block = detail::allocate_from(*upstream_, bytes, alignment);
    cell_.on_allocate(bytes, alignment);
    return block;
  }
  MALLARD_ALWAYS_INLINE void deallocate(void* block, std::size_t bytes,
                                        std::size_t alignment = alignof(std::max_align_t)) {
    upstream_->deallocate(block, bytes, alignment);
    cell_.on_deallocate(bytes);
  }

  // Returns: the counts since construction. While another thread allocates, they may be off by the
  // call that is being counted. O(size classes).
  allocation_counts counts() const noexcept;

  const char* name() const noexcept { return counted_.name(); }  // null if it has none
  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

 private:
  friend class counting_scope;

  counting_resource(const char* name, resource_ref upstream, int) noexcept
      : upstream_(upstream), counted_(name, this, &read) {}

  static void read(const void* self, detail::counted_totals& sum) noexcept;

  std::pmr::memory_resource* upstream_;
  detail::counting_cell cell_;
  // The counts from before the scopes that are open now.
  detail::tally outer_peak_bytes_;
  detail::tally outer_peak_blocks_;
  detail::counted counted_;  // last: a report reads the others
};

// The counts since a scope began.
struct scope_counts {
  const char* name = nullptr;
  std::uint64_t entries = 1;
  std::uint64_t allocations = 0;
  std::uint64_t deallocations = 0;
  std::uint64_t total_bytes = 0;   // of the blocks allocated in the scope
  std::size_t peak_bytes = 0;      // highest use beyond what was in use at the beginning
  std::size_t peak_blocks = 0;     //
  std::ptrdiff_t kept_bytes = 0;   // allocated in the scope less freed in it
  std::ptrdiff_t kept_blocks = 0;  //
};

// Counts from its beginning to its end; scopes may nest. Reports add up the scopes of one name in
// one resource. It belongs to the thread that uses the resource.
//
//   mallard::counting_scope scope(counter, "parse");
//   parse(&counter);
//   assert(scope.counts().kept_bytes == 0);
class MALLARD_API counting_scope {
 public:
  // `name`, if any, must live as long as `of`.
  explicit counting_scope(counting_resource& of, const char* name = nullptr) noexcept;
  counting_scope(const counting_scope&) = delete;
  counting_scope& operator=(const counting_scope&) = delete;
  ~counting_scope();

  scope_counts counts() const noexcept;

 private:
  counting_resource& of_;
  const char* name_;
  allocation_counts before_;
  std::uint64_t peak_bytes_before_;
  std::uint64_t peak_blocks_before_;
};

}  // namespace mallard::inline v1
