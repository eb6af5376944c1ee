// Purpose: bump allocation in one contiguous range of reserved address space: it grows in place,
// never hops to another chunk, and the block allocated last can grow for as long as there is room.
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

// Address space is reserved at the first request and given back by the destructor and `release`.
// A request beyond the reservation throws `std::bad_alloc`. `stats().chunks` is 0 or 1.
class MALLARD_API reserved_resource final
    : public arena_verbs<reserved_resource, detail::reserved_range> {
 public:
  reserved_resource() noexcept : reserved_resource(reserved_options{}) {}
  explicit reserved_resource(reserved_options options) noexcept : arena_verbs(options) {}
  reserved_resource(const reserved_resource&) = delete;
  reserved_resource& operator=(const reserved_resource&) = delete;
};

}  // namespace mallard::inline v1
