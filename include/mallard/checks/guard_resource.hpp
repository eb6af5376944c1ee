// guard_resource: every block ends, or begins, at a page that faults: the instruction that goes
// beyond it stops the program, and so does one that touches a block that has been given back.
//
//   mallard::guard_resource pages;  // or {.side = mallard::guarded_side::begin}
//   std::pmr::vector<char> text(100, 'x', &pages);
//   text.data()[100] = 'y';  // SIGSEGV here; a debugger shows the line
//
// Below a test_resource without pads it is the strictest of all:
//
//   mallard::test_resource memory({.pad_bytes = 0, .quarantine_bytes = 0}, &pages);
//
// Complexity: two system calls per operation; a block costs its pages and the addresses of two
// more. Linux allows a process 65,530 mappings, so some 30,000 blocks at once; then std::bad_alloc.
// Thread-safety: all members may be called from any thread.
//
// The published ideas: Perens' Electric Fence; bdlma::GuardingAllocator of Bloomberg's BDE.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/checks/test_report.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/by_base.hpp"

namespace mallard::inline v1 {

enum class guarded_side {
  end,    // overruns fault; behind an odd size up to alignment - 1 bytes, and of an alignment above
          // a page the rest of the last page, are checked when it comes back
  begin,  // underruns fault; the rest of the last page is checked when the block comes back
};

struct guard_options {
  guarded_side side = guarded_side::end;
  std::size_t kept_blocks = 1024;  // given back and still faulting when touched
  const char* name = nullptr;      // for reports; must live as long as the resource
};

class MALLARD_API guard_resource final : public detail::by_base<guard_resource> {
 public:
  // Effects: memory comes from the system. What is found otherwise than by a fault is printed on
  // stderr, and the program is aborted, or is given to `on_fault`: writes behind a block that did
  // not fault, and blocks given back twice, never given, or with another size or alignment.
  explicit guard_resource(guard_options options = {});
  guard_resource(guard_options options, test_handler on_fault);
  guard_resource(const guard_resource&) = delete;
  guard_resource& operator=(const guard_resource&) = delete;
  // Effects: gives all memory back, also of blocks in use.
  ~guard_resource() override;

  // Errors: std::bad_alloc when the system has no memory or no mappings left.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  // Effects: as `allocate`, but returns null where that throws.
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept;
  void deallocate(void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));

  // Effects: gives all memory back, also of blocks in use.
  void release() noexcept;

  std::size_t in_use_blocks() const noexcept;

 private:
  struct state;
  state* state_;
};

}  // namespace mallard::inline v1
