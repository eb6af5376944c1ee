// test_resource: a memory resource for tests that finds the misuse of memory and fails on demand.
//
//   mallard::test_resource upstream;
//   upstream.fail_at(2);  // two calls succeed, the third throws test_exception
//   my_container things(&upstream);
//   ...
//   assert(upstream.counts().in_use_bytes == 0);  // leaks are also reported by the destructor
//
// It finds: overruns and underruns (pads of 64 bytes on both sides of every block, checked when the
// block comes back), a block given back twice or never given, given back with another size or
// alignment, and blocks never given back. New blocks are filled with 0xCD and dead ones with 0xDD,
// so code that relies on zeroed memory or reads freed memory shows itself; of blocks above 1 MiB
// only the first and the last 64 KiB, so that huge blocks stay cheap.
//
// Complexity: O(bytes) per call, for the filling; one hash look-up. A block costs
// max(alignment, 64) + 64 bytes and a table entry. Thread-safety: all members may be called from
// any thread; one mutex, which is not held while upstream is called, by one thread at a time.
//
// The published ideas: `test_resource` of P1160 (Halpern, Ahearn et al., "Add Test Polymorphic
// Memory Resource to the Standard Library") and `bslma::TestAllocator` of Bloomberg's BDE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

#include "mallard/checks/allocation_counts.hpp"
#include "mallard/detail/callback.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

// Thrown by a call that was told to fail, and by no other.
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

enum class test_fault {
  overrun,          // bytes after the block were written
  underrun,         // bytes before the block were written
  double_free,      // given back again (recognised among the last 256 given back)
  foreign_pointer,  // given back, but never given
  wrong_size,       // given back with another size
  wrong_alignment,  // given back with another alignment
  bad_alignment,    // asked for an alignment that is not a power of two
  leak,             // still in use when the resource is destroyed, or when asked
};

// Returns: the fault's name as spelt above.
MALLARD_API const char* to_string(test_fault fault) noexcept;

struct test_report {
  test_fault fault;
  const void* block;               // the block; for leaks the oldest one
  std::uint64_t serial;            // of its allocation, 0 first; the largest value if unknown
  std::size_t bytes, alignment;    // what the caller said; for leaks the sum of bytes
  std::size_t expected_bytes;      // what was asked for when the block was given
  std::size_t expected_alignment;  //
  std::size_t blocks;              // how many blocks are concerned: 1 except for leaks
};

class MALLARD_API test_resource final : public std::pmr::memory_resource {
 public:
  // Made from any function object that takes a `const test_report&`. Called outside the lock, and
  // must not throw. After it returns, the resource goes on: a block
  // with a fault is still given back to the upstream, with the size it really has; a foreign
  // pointer is ignored; leaked blocks are left alone, as something may still point at them.
  using handler = detail::callback<void(const test_report&)>;

  // Effects: memory will come from `upstream`, which must outlive this object. Faults are printed
  // as one line on stderr, and the program is aborted.
  explicit test_resource(std::pmr::memory_resource* upstream = std::pmr::new_delete_resource());
  // Effects: faults are given to `on_fault` instead.
  explicit test_resource(handler on_fault,
                         std::pmr::memory_resource* upstream = std::pmr::new_delete_resource());
  test_resource(std::nullptr_t) = delete;
  test_resource(const test_resource&) = delete;
  test_resource& operator=(const test_resource&) = delete;
  // Effects: report_leaks().
  ~test_resource() override;

  // Effects: of the allocations from now on, the one with index `n` (0 is the next) throws
  // test_exception, once. Replaces what fail_at or fail_after said before.
  void fail_at(std::uint64_t n) noexcept;
  // Effects: `n` allocations succeed from now on; every one after them throws.
  void fail_after(std::uint64_t n) noexcept;
  // Effects: no allocation is told to fail any more.
  void never_fail() noexcept;
  // Returns: how many allocations have thrown since the last fail_at, fail_after or never_fail.
  std::uint64_t failures() const noexcept;

  // Returns: a copy of the counts since construction. Refused calls are not counted.
  allocation_counts counts() const noexcept;
  // Effects: checks the pads of every block in use and reports what it finds. O(blocks).
  void verify() const;
  // Effects: reports the blocks still in use that came from allocation number `first` or a later
  // one (allocations are numbered from 0, see allocation_counts::allocations) as one leak, if any.
  void report_leaks(std::uint64_t first = 0) const;

  std::pmr::memory_resource* upstream_resource() const noexcept;

 private:
  struct state;

  // Errors: test_exception when told to fail; std::bad_alloc for a bad alignment (reported first),
  // for sizes that overflow with the pads, and when the upstream throws. Then nothing has changed.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  state* state_;
};

}  // namespace mallard::inline v1
