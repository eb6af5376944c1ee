// Purpose: memory that can be made read-only, or inaccessible, and writable again: built once, then
// only read. A write gets SIGSEGV at that very instruction.
//
//   mallard::protected_resource memory;
//   std::pmr::vector<int> settings({1, 2, 3}, &memory);
//   memory.protect();
//   int one = settings[0];             // reads as before; settings[0] = 2 would be a SIGSEGV
//   {
//     mallard::write_scope change(memory);
//     settings.push_back(4);
//   }                                  // protected again
//   memory.unprotect();                // the vector's destructor writes
//
// Its other verbs and its figures are in mallard/memory/range.hpp.
//
// Complexity: protecting is a system call whose time depends on the pages in use; allocate and
// deallocate are O(log n) in the number of free parts. Thread-safety: none, but any number of
// threads may read protected memory.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"
#include "mallard/memory/range.hpp"

namespace mallard::inline v1 {

struct protected_options {
  std::size_t limit_bytes = std::size_t{1} << 30;  // of addresses, which are reserved at once
  bool guard_pages = true;                         // at both ends
};

enum class page_access { none, read_only, writable };

class MALLARD_API protected_resource final : public range_resource {
 public:
  // Errors: `memory_error` if the limit is 0 or the system refuses the addresses. `allocate` throws
  // it, too, and changes nothing, while the memory is not writable.
  explicit protected_resource(protected_options options);
  protected_resource() : protected_resource(protected_options{}) {}
  ~protected_resource() override;

  // Effects: from now on all pages are read-only (`protect`), inaccessible (`hide`) or writable
  // (`unprotect`). The resource's own records of its blocks lie in these pages.
  // Errors: `memory_error` if the system refuses; then nothing has changed.
  void protect() { set_access(page_access::read_only); }
  void hide() { set_access(page_access::none); }
  void unprotect() { set_access(page_access::writable); }
  void set_access(page_access wanted);

  page_access access() const noexcept { return access_; }

  // Effects: frees all blocks and all memory. The memory is writable again.
  void release() noexcept;

 private:
  int extend(std::byte* p, std::size_t bytes) noexcept override;

  page_access access_ = page_access::writable;
};

// Makes the resource writable while it lives, then restores the access from before. If the system
// refuses that, the program ends, rather than go on as if the memory were protected.
class [[nodiscard]] MALLARD_API write_scope {
 public:
  explicit write_scope(protected_resource& resource)
      : resource_(resource), before_(resource.access()) {
    resource_.unprotect();
  }
  write_scope(const write_scope&) = delete;
  write_scope& operator=(const write_scope&) = delete;
  ~write_scope() { resource_.set_access(before_); }

 private:
  protected_resource& resource_;
  page_access before_;
};

// The opposite: makes the resource read-only, or as `access` says, while it lives.
class [[nodiscard]] MALLARD_API protect_scope {
 public:
  explicit protect_scope(protected_resource& resource, page_access access = page_access::read_only)
      : resource_(resource), before_(resource.access()) {
    resource_.set_access(access);
  }
  protect_scope(const protect_scope&) = delete;
  protect_scope& operator=(const protect_scope&) = delete;
  ~protect_scope() { resource_.set_access(before_); }

 private:
  protected_resource& resource_;
  page_access before_;
};

}  // namespace mallard::inline v1
