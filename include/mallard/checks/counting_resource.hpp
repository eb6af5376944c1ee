// counting_resource: forwards to an upstream and counts calls, blocks and bytes.
//
//   mallard::counting_resource counter;
//   std::pmr::vector<int> numbers(&counter);
//   numbers.assign(1000, 7);
//   assert(counter.counts().allocations == 1);
//   assert(counter.counts().in_use_bytes == 4000);
//
// Complexity: O(1) on top of the upstream. Thread-safety: none; use one per thread, or
// test_resource, which locks.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/checks/allocation_counts.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

class MALLARD_API counting_resource final : public std::pmr::memory_resource {
 public:
  // Effects: counts what goes to `upstream`, which must outlive this object.
  explicit counting_resource(
      std::pmr::memory_resource* upstream = std::pmr::new_delete_resource()) noexcept
      : upstream_(upstream) {}
  counting_resource(std::nullptr_t) = delete;
  counting_resource(const counting_resource&) = delete;
  counting_resource& operator=(const counting_resource&) = delete;

  // Returns: the counts since construction.
  const allocation_counts& counts() const noexcept { return counts_; }

  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

 private:
  // Errors: whatever the upstream throws; then nothing is counted.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* block = upstream_->allocate(bytes, alignment);
    counts_.on_allocate(bytes, alignment);
    return block;
  }

  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    upstream_->deallocate(block, bytes, alignment);
    counts_.on_deallocate(bytes);
  }

  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::pmr::memory_resource* upstream_;
  allocation_counts counts_;
};

}  // namespace mallard::inline v1
