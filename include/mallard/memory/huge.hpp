// Purpose: huge pages, explicit (2 MiB or 1 GiB) or transparent, and a report of what was obtained.
//
//   mallard::huge_resource memory({.wanted = mallard::page_kind::transparent});
//   mallard::multipool_resource pool(&memory);
//   std::pmr::vector<int> v(1'000'000, &pool);
//   std::size_t huge = memory.obtained().transparent_bytes;  // 0 where the system had none
//   std::size_t page = memory.page_bytes_of(v.data());
//
// Its other verbs and its figures are in mallard/memory/range.hpp.
//
// Complexity: O(log n) in the number of free parts, plus a system call for each step of huge pages.
// Thread-safety: none; one thread at a time.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"
#include "mallard/memory/range.hpp"

namespace mallard::inline v1 {

enum class page_kind { small, transparent, explicit_huge };  // each better than the one before

struct huge_options {
  std::size_t limit_bytes = std::size_t{1} << 30;  // of addresses; rounded up to huge pages
  std::size_t page_bytes = std::size_t{2} << 20;   // of explicit pages: 2 MiB or 1 GiB
  page_kind wanted = page_kind::explicit_huge;     // tried first
  // The least to accept: `allocate` throws rather than return anything less. With `small`,
  // transparent pages are requested and come if the system has some. With `transparent`, each must
  // be there, with its memory at once.
  page_kind accepted = page_kind::small;
};

// By huge page of what is usable: the page behind its first byte.
struct huge_report {
  std::size_t explicit_bytes = 0;
  std::size_t transparent_bytes = 0;
  std::size_t small_bytes = 0;
  std::size_t untouched_bytes = 0;  // decided at the first touch
};

class MALLARD_API huge_resource final : public range_resource {
 public:
  // Errors: `memory_error` if the limit is 0, pages are neither 2 MiB nor 1 GiB, less is wanted
  // than accepted, or the system refuses the addresses. `allocate` throws it if nothing acceptable
  // is left.
  explicit huge_resource(huge_options options);
  huge_resource() : huge_resource(huge_options{}) {}
  ~huge_resource() override;

  // O(huge pages), each a look into /proc/self.
  huge_report obtained() const noexcept;
  // Returns: the size of the page behind an address of the resource; 0: not touched yet.
  std::size_t page_bytes_of(const void* p) const noexcept;

 private:
  int extend(std::byte* p, std::size_t bytes) noexcept override;
  int extend_transparent(std::byte* p, std::size_t bytes) const noexcept;

  huge_options options_;
};

}  // namespace mallard::inline v1
