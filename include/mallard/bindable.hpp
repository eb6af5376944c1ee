// Purpose: the requirements on a resource that a container, or another resource, binds by its type.
//
//   static_assert(mallard::bindable_resource<mallard::monotonic_resource>);
//   static_assert(mallard::bindable_resource<std::pmr::memory_resource>);
//   template <mallard::bindable_resource R>
//   void* allocate_zeroed(R& resource, std::size_t bytes) {
//     return std::memset(resource.allocate(bytes, 16), 0, bytes);
//   }
//   int main() {
//     mallard::monotonic_resource arena;
//     allocate_zeroed(arena, 100);
//   }
#pragma once

#include <concepts>
#include <cstddef>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

template <class R>
concept bindable_resource = requires(R& r, void* p, std::size_t n) {
  { r.allocate(n, n) } -> std::same_as<void*>;
  r.deallocate(p, n, n);
};

}  // namespace mallard::inline v1
