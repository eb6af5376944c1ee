// Purpose: every block ends, or begins, at a page that faults. An instruction that accesses memory
// beyond a block, or a freed block, stops the program.
//
//   mallard::guard_resource pages;  // or {.side = mallard::guarded_side::begin}
//   std::pmr::vector<char> text(100, 'x', &pages);
//   text.data()[100] = 'y';  // SIGSEGV here; a debugger shows the line
//
// It is strictest below a test_resource without pads:
//
//   mallard::test_resource memory({.pad_bytes = 0, .quarantine_bytes = 0}, &pages);
//
// Complexity: two system calls per operation; a block costs its pages and the addresses of two
// more. Linux allows a process 65,530 mappings, some 30,000 blocks at once; then std::bad_alloc.
// Thread-safety: any thread may call all members.
//
// Source of the idea: Perens' Electric Fence; bdlma::GuardingAllocator of Bloomberg's BDE.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/checks/test_report.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/by_base.hpp"

namespace mallard::inline v1 {

enum class guarded_side {
  end,    // overruns fault; checked at deallocation only: up to alignment - 1 bytes behind an odd
          // size, and with an alignment above a page, the rest of the last page
  begin,  // underruns fault; the rest of the last page is checked at deallocation
};

struct guard_options {
  guarded_side side = guarded_side::end;
  std::size_t kept_blocks = 1024;  // freed blocks that still fault when touched
  const char* name = nullptr;      // for reports; must live as long as the resource
};

class MALLARD_API guard_resource final : public detail::by_base<guard_resource> {
 public:
  // Effects: takes memory from the system. Passes to `on_fault` what no page fault shows: writes
  // behind a block, and blocks freed twice, never allocated, or freed with another size or
  // alignment. The default handler prints it on stderr and aborts the program.
  explicit guard_resource(guard_options options = {});
  guard_resource(guard_options options, test_handler on_fault);
  guard_resource(const guard_resource&) = delete;
  guard_resource& operator=(const guard_resource&) = delete;
  // Effects: frees all memory, including blocks in use.
  ~guard_resource() override;

  // Errors: std::bad_alloc if the system has no memory or no mappings left.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  // Effects: as `allocate`, but returns null instead of throwing.
  void* try_allocate(std::size_t bytes,
                     std::size_t alignment = alignof(std::max_align_t)) noexcept {
    return detail::allocate_or_null(*this, bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));

  // Effects: frees all memory, including blocks in use.
  void release() noexcept;

  std::size_t in_use_blocks() const noexcept;

 private:
  struct state;
  state* state_;
};

}  // namespace mallard::inline v1
