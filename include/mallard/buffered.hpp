// Purpose: a monotonic resource whose first buffer is inside the object, usually on the stack.
//
//   mallard::buffered_resource<1024> arena;
//   std::pmr::vector<int> v{&arena};
//   v.assign({1, 2, 3});
//   bool stayed_on_the_stack = arena.stats().overflowed == 0;
//
// Its options, figures and verbs are in mallard/arena.hpp.
//
// Complexity and thread-safety: as monotonic_resource.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/monotonic.hpp"
#include "mallard/page_source.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

namespace detail {

// A base class, so that it outlives the resource that uses it.
template <std::size_t Bytes>
struct inline_buffer {
  alignas(std::max_align_t) std::byte buffer[Bytes];
};

}  // namespace detail

// Uses `Bytes` bytes of the object before upstream. In all else it is a monotonic_resource, and
// binds wherever one does. `stats().overflowed` counts how often the buffer was full.
template <std::size_t Bytes>
class buffered_resource final : private detail::inline_buffer<Bytes>, public monotonic_resource {
  static_assert(Bytes >= alignof(std::max_align_t));

 public:
  buffered_resource() noexcept : buffered_resource(page_source::instance()) {}
  explicit buffered_resource(resource_ref upstream) noexcept
      : buffered_resource(monotonic_options{}, upstream) {}
  explicit buffered_resource(monotonic_options options,
                             resource_ref upstream = page_source::instance()) noexcept
      : monotonic_resource(this->buffer, Bytes, options, upstream) {}
};

}  // namespace mallard::inline v1
