// Purpose: a monotonic resource with its first buffer inside the object, usually on the stack.
//
//   mallard::buffered_resource<1024> arena;
//   std::pmr::vector<int> v{&arena};
//   v.assign({1, 2, 3});
//   bool stayed_on_the_stack = arena.stats().overflowed == 0;
//
// Complexity and thread-safety: as monotonic_resource.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/resources/bump_resource.hpp"
#include "mallard/detail/resources/bump_verbs.hpp"
#include "mallard/detail/resources/chunk_stack.hpp"
#include "mallard/page_source.hpp"

namespace mallard::inline v1 {

namespace detail {

template <std::size_t Bytes>
struct inline_buffer {
  alignas(std::max_align_t) std::byte buffer[Bytes];
};

// The buffer is a base, so that it outlives the stack of chunks that ends with the object.
template <std::size_t Bytes>
class buffered_store : private inline_buffer<Bytes>, public chunk_stack {
 public:
  explicit buffered_store(std::pmr::memory_resource* upstream) noexcept
      : chunk_stack(this->buffer, Bytes, upstream) {}
};

}  // namespace detail

// `Bytes` bytes of the object are used before upstream is. All verbs are those of
// monotonic_resource; `stats().overflowed` counts how often the buffer did not do.
template <std::size_t Bytes>
class buffered_resource final
    : public detail::bump_verbs<buffered_resource<Bytes>, detail::buffered_store<Bytes>> {
  static_assert(Bytes >= alignof(std::max_align_t));

 public:
  buffered_resource() noexcept : buffered_resource(page_source::instance()) {}
  explicit buffered_resource(std::pmr::memory_resource* upstream) noexcept
      : detail::bump_verbs<buffered_resource, detail::buffered_store<Bytes>>(upstream) {}

  std::pmr::memory_resource* upstream_resource() const noexcept {
    return this->store().upstream_resource();
  }
};

}  // namespace mallard::inline v1
