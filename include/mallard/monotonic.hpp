// Purpose: bump allocation; all memory is freed at once, or down to a mark.
//
//   char buffer[4096];
//   mallard::monotonic_resource arena{buffer, sizeof buffer};
//   std::vector<int, mallard::allocator<int, mallard::monotonic_resource>> v{&arena};
//   v.resize(100);
//   arena.release();  // v must not be used any more
//
// Its options, figures and verbs are in mallard/arena.hpp.
//
// Complexity: allocate O(1), sometimes with a chunk from upstream; deallocate O(1), see arena.hpp.
// Thread-safety: none; one thread at a time per resource.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>
#include <span>

#include "mallard/arena.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/bump_resource.hpp"
#include "mallard/detail/resources/chunk_stack.hpp"
#include "mallard/page_source.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

// Chunks double from `initial_bytes` to `max_chunk_bytes`. A block larger than half the next chunk
// and than 64 KiB gets a chunk of its own, which does not change the growth. Chunks are requested
// from upstream with fundamental alignment, whatever the block's alignment.
class MALLARD_API monotonic_resource : public arena_verbs<monotonic_resource, detail::chunk_stack> {
 public:
  // Allocates nothing before the first request. `upstream` must outlive the resource.
  monotonic_resource() noexcept : monotonic_resource(monotonic_options{}) {}
  explicit monotonic_resource(resource_ref upstream) noexcept
      : monotonic_resource(monotonic_options{}, upstream) {}
  explicit monotonic_resource(monotonic_options options,
                              resource_ref upstream = page_source::instance()) noexcept
      : arena_verbs(options, upstream.get()) {}

  // The first chunk has room for blocks of `initial_bytes` bytes. Any integer, so that 0 is no null
  // pointer.
  template <std::integral Size>
    requires(!std::same_as<Size, bool>)
  explicit monotonic_resource(Size initial_bytes,
                              resource_ref upstream = page_source::instance()) noexcept
      : monotonic_resource(monotonic_options{.initial_bytes = detail::chunk_bytes_for(
                                                 static_cast<std::size_t>(initial_bytes))},
                           upstream) {}

  // Uses the caller's buffer of `bytes` bytes first, and never returns it to upstream.
  monotonic_resource(void* buffer, std::size_t bytes,
                     resource_ref upstream = page_source::instance()) noexcept
      : monotonic_resource(buffer, bytes, monotonic_options{}, upstream) {}
  monotonic_resource(void* buffer, std::size_t bytes, monotonic_options options,
                     resource_ref upstream = page_source::instance()) noexcept
      : arena_verbs(buffer, bytes, options, upstream.get()) {}
  explicit monotonic_resource(std::span<std::byte> buffer,
                              resource_ref upstream = page_source::instance()) noexcept
      : monotonic_resource(buffer.data(), buffer.size(), monotonic_options{}, upstream) {}
  monotonic_resource(std::span<std::byte> buffer, monotonic_options options,
                     resource_ref upstream = page_source::instance()) noexcept
      : monotonic_resource(buffer.data(), buffer.size(), options, upstream) {}

  monotonic_resource(const monotonic_resource&) = delete;
  monotonic_resource& operator=(const monotonic_resource&) = delete;

  std::pmr::memory_resource* upstream_resource() const noexcept {
    return store().upstream_resource();
  }
};

}  // namespace mallard::inline v1
