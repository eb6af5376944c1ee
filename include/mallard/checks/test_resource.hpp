// Purpose: a memory resource for tests that finds the misuse of memory and fails on demand.
//
//   mallard::test_resource upstream;
//   upstream.fail_at(2);  // two calls succeed, the third throws test_exception
//   my_container things(&upstream);
//   ...
//   assert(upstream.counts().in_use_bytes == 0);  // leaks are also reported by the destructor
//
// It finds overruns and underruns by pads on both sides of every block, and writes to freed blocks
// by a quarantine. It finds blocks freed twice, in another resource, with another size or
// alignment, or never allocated; and blocks never freed. It reports where such a block was
// allocated. New blocks are filled with 0xCD and freed ones with 0xDD, to show code that relies on
// zeroed memory or reads freed memory; above 1 MiB only the first and the last 64 KiB.
// AddressSanitizer sees blocks in quarantine as poisoned.
//
// Complexity: O(bytes) per call for the filling, a hash look-up and a stack walk. A block costs two
// pads and a table entry. Thread-safety: any thread may call all members. One mutex, not held while
// upstream is called, by one thread at a time.
//
// Source of the idea: `test_resource` of P1160 (Halpern, Ahearn et al., "Add Test Polymorphic
// Memory Resource to the Standard Library") and `bslma::TestAllocator` of Bloomberg's BDE.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

#include "mallard/checks/allocation_counts.hpp"
#include "mallard/checks/test_report.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

// Only a call that was told to fail throws it.
class MALLARD_API test_exception : public std::bad_alloc {
 public:
  test_exception(std::size_t bytes, std::size_t alignment) noexcept
      : bytes_(bytes), alignment_(alignment) {}
  const char* what() const noexcept override { return "mallard::test_exception"; }
  std::size_t bytes() const noexcept { return bytes_; }          // the refused request
  std::size_t alignment() const noexcept { return alignment_; }  // the refused request

 private:
  std::size_t bytes_;
  std::size_t alignment_;
};

struct test_options {
  const char* name = nullptr;  // for reports; must live as long as the resource
  std::size_t pad_bytes = 64;  // on each side; 0 over a guard_resource, whose pages then touch
  std::size_t quarantine_bytes = 64 * 1024;  // of freed blocks kept from reuse, at most 256 blocks
  unsigned stack_frames = 16;                // 0: faster, but reports have no stacks
};

// A block in use.
struct test_block {
  const void* block = nullptr;
  std::size_t bytes = 0;
  std::size_t alignment = 0;
  std::uint64_t serial = 0;
  const call_stack* given = nullptr;  // valid as long as the resource exists
};

template <std::derived_from<std::pmr::memory_resource> R>
class checked;

class MALLARD_API test_resource final : public std::pmr::memory_resource {
 public:
  // Called outside the lock. Afterwards the resource goes on: it returns a faulty block to upstream
  // with its real size, ignores a foreign pointer, and leaves leaked blocks alone, as something may
  // still point at them.
  using handler = test_handler;

  // Effects: takes memory from `upstream`, which must outlive this object. A fault is printed on
  // stderr, and the program is aborted.
  explicit test_resource(resource_ref upstream = std::pmr::new_delete_resource());
  explicit test_resource(test_options options,
                         resource_ref upstream = std::pmr::new_delete_resource());
  // Effects: as above, but passes faults to `on_fault`.
  explicit test_resource(handler on_fault, resource_ref upstream = std::pmr::new_delete_resource());
  test_resource(test_options options, handler on_fault,
                resource_ref upstream = std::pmr::new_delete_resource());
  test_resource(std::nullptr_t) = delete;
  test_resource(const test_resource&) = delete;
  test_resource& operator=(const test_resource&) = delete;
  // Effects: report_leaks(), and checks the blocks in quarantine.
  ~test_resource() override;

  // Effects: the allocation with index `n` from now on (0 is the next) throws test_exception, once.
  // Replaces what this and the next two functions set before.
  void fail_at(std::uint64_t n) noexcept;
  // Effects: the next `n` allocations succeed; all later ones throw.
  void fail_after(std::uint64_t n) noexcept;
  // Effects: each allocation from now on throws with this probability, 0 to 1. A seed always fails
  // the same ones.
  void fail_by_chance(double probability, std::uint64_t seed) noexcept;
  // Effects: no allocation fails on demand any more.
  void never_fail() noexcept;
  // Returns: how many allocations have failed on demand since the last call of these four.
  std::uint64_t failures() const noexcept;

  // Returns: a copy of the counts since construction. Refused calls are not counted.
  allocation_counts counts() const noexcept;
  // Effects: checks the pads of every block in use, and that nobody has written to those in
  // quarantine; reports what it finds. O(bytes).
  void verify() const;
  // Effects: reports the blocks in use from allocation number `first` on as one leak, if there are
  // any. Allocations are numbered from 0, see allocation_counts::allocations.
  void report_leaks(std::uint64_t first = 0) const;
  // Effects: verify(); then forgets the blocks in use and in quarantine from allocation `first` on:
  // upstream is about to free their memory by itself.
  void forget(std::uint64_t first = 0);

  // Effects: passes a report of another check to the handler.
  void report(const test_report& what) const;

  // Returns: the block in use that contains the byte at `p`; its `block` is null if there is none.
  // O(1) at a block's beginning, else O(blocks).
  test_block block_of(const void* p) const noexcept;
  // Effects: calls what(context, block) for every block in use, in any order, under the lock.
  void for_each_block(void (*what)(void* context, const test_block& block), void* context) const;

  const char* name() const noexcept;  // null if it has none
  std::pmr::memory_resource* upstream_resource() const noexcept;

  // Effects: calls what(context, resource) for every test_resource that exists, oldest first; none
  // is made or destroyed meanwhile.
  static void for_each(void (*what)(void* context, const test_resource& resource), void* context);

 private:
  template <std::derived_from<std::pmr::memory_resource> R>
  friend class checked;

  struct state;

  // Effects and errors: as do_allocate; a block of `bytes` bytes that may be used up to `room`.
  void* allocate_with_room(std::size_t bytes, std::size_t room, std::size_t alignment);

  // Errors: test_exception if told to fail; std::bad_alloc for a bad alignment (reported first),
  // for sizes that overflow with the pads, and if upstream throws even after it got the quarantine
  // back. Then nothing has changed.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  state* state_;
};

}  // namespace mallard::inline v1
