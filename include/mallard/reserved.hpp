// Purpose: bump allocation in one range of reserved address space. It grows in place, without
// further chunks, and the block allocated last can grow as long as there is room.
//
//   mallard::reserved_resource arena{{.reserve_bytes = std::size_t{1} << 30}};
//   std::pmr::vector<int> v{&arena};
//   v.resize(1'000'000);
//   arena.reset(std::size_t{1} << 20);  // keeps 1 MiB warm, the rest goes back to the system
//
// Its options, figures and verbs are in mallard/arena.hpp.
//
// Complexity: allocate O(1); memory is committed in steps that double. deallocate does nothing.
// Thread-safety: none; one thread at a time per resource.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/arena.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/reserved_range.hpp"

namespace mallard::inline v1 {

// The first request reserves address space; `release` and the destructor free it. A request beyond
// it throws `std::bad_alloc`. `stats().chunks` is 0 or 1.
class MALLARD_API reserved_resource final
    : public arena_verbs<reserved_resource, detail::reserved_range> {
 public:
  reserved_resource() noexcept : reserved_resource(reserved_options{}) {}
  explicit reserved_resource(reserved_options options) noexcept : arena_verbs(options) {}
  reserved_resource(const reserved_resource&) = delete;
  reserved_resource& operator=(const reserved_resource&) = delete;
};

}  // namespace mallard::inline v1
