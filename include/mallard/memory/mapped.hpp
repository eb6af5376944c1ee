// Purpose: anonymous pages with what programs want of them: reserved in one piece, populated at
// once, locked, between guard pages, named.
//
//   mallard::mapped_resource pages({.limit_bytes = 64 << 20, .populate = true, .name = "orders"});
//   mallard::multipool_resource pool(&pages);
//   std::pmr::map<int, int> orders(&pool);
//   orders[1] = 2;
//   std::size_t in_memory = pages.obtained().resident_bytes;
//
// Its other verbs and its figures are in mallard/memory/range.hpp.
//
// Complexity: O(log n) in the number of free parts, plus a system call for each step that makes
// more pages usable. Thread-safety: none; one thread at a time.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"
#include "mallard/memory/range.hpp"

namespace mallard::inline v1 {

struct mapped_options {
  // The size in addresses, which are reserved at once; memory comes as it is needed.
  std::size_t limit_bytes = std::size_t{1} << 30;
  // The least to make usable at once; 0: 64 KiB. Steps grow with what is usable, up to 4 MiB.
  std::size_t step_bytes = 0;
  bool populate = false;     // all usable pages are in memory before anything touches them
  bool lock = false;         // never swapped out (mlock); counts towards RLIMIT_MEMLOCK
  bool guard_pages = false;  // a page before and one behind the limit that fault
  // In /proc/self/maps, as [anon:NAME]; at most 80 characters, none of []\$`.
  const char* name = nullptr;
};

struct mapped_report {
  std::size_t usable_bytes = 0;
  std::size_t resident_bytes = 0;  // of these, in memory now
  std::size_t locked_bytes = 0;    // of these, locked
  bool named = false;              // the kernel has accepted the name
};

class MALLARD_API mapped_resource final : public range_resource {
 public:
  // Errors: `memory_error` if the limit is 0, no kernel would accept the name, or the system
  // refuses the addresses. `allocate` throws it if the system refuses memory, or to lock it. If
  // this kernel refuses the name, that is no error.
  explicit mapped_resource(mapped_options options);
  mapped_resource() : mapped_resource(mapped_options{}) {}
  ~mapped_resource() override;

  mapped_report obtained() const noexcept;

 private:
  int extend(std::byte* p, std::size_t bytes) noexcept override;

  mapped_options options_;
  char name_[81] = {};
  bool named_ = false;
};

}  // namespace mallard::inline v1
