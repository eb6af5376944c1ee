// Purpose: uses-allocator construction with a resource: whatever allocator a type takes is made
// from the resource, as a `std::pmr` container gives its allocator to its elements.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "mallard/detail/failure.hpp"

namespace mallard::inline v1::detail {

// Converts to every allocator that a pointer to the resource converts to, by type or by base. It is
// also an allocator itself, for types like std::promise that take any.
template <class T, class R>
struct any_binding {
  using value_type = T;
  R* resource;

  explicit any_binding(R* from) noexcept : resource(from) {}
  template <class Other>
  any_binding(const any_binding<Other, R>& other) noexcept : resource(other.resource) {}  // NOLINT

  T* allocate(std::size_t count) {
    if (count > ~std::size_t{0} / sizeof(T)) fail_array_length();
    return static_cast<T*>(resource->allocate(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* p, std::size_t count) noexcept {
    resource->deallocate(p, count * sizeof(T), alignof(T));
  }
  template <class Other>
  bool operator==(const any_binding<Other, R>& other) const noexcept {
    return resource == other.resource;
  }

  template <class Allocator>
    requires(std::convertible_to<R*, Allocator> && requires { typename Allocator::value_type; })
  operator Allocator() const noexcept {  // NOLINT: implicit, that is its purpose
    return Allocator(resource);
  }
};

template <class T>
inline constexpr bool is_pair = false;
template <class First, class Second>
inline constexpr bool is_pair<std::pair<First, Second>> = true;

// Makes a T at `p`; the allocator is that of `from` unless the arguments include one.
template <class T, class R, class... Args>
T* construct_with(R& from, void* p, Args&&... args) {
  static_assert(std::destructible<T>, "T has a destructor that may throw, or none to call");
  using binding = any_binding<std::byte, R>;
  const binding with(&from);
  if constexpr (is_pair<T>) {
    return std::apply(
        [&](auto&&... all) { return ::new (p) T(std::forward<decltype(all)>(all)...); },
        std::uses_allocator_construction_args<T>(with, std::forward<Args>(args)...));
  } else if constexpr (std::uses_allocator_v<T, binding> &&
                       std::constructible_from<T, std::allocator_arg_t, const binding&, Args...>) {
    return ::new (p) T(std::allocator_arg, with, std::forward<Args>(args)...);
  } else if constexpr (std::uses_allocator_v<T, binding> &&
                       std::constructible_from<T, Args..., const binding&>) {
    return ::new (p) T(std::forward<Args>(args)..., with);
  } else {
    static_assert(!std::destructible<T> || std::constructible_from<T, Args...>,
                  "T cannot be constructed from these arguments, with the resource's allocator or "
                  "without");
    return ::new (p) T(std::forward<Args>(args)...);
  }
}

// Makes `count` objects of type T side by side at `p`, each without an argument except the
// allocator. When a constructor throws, those before it are destroyed.
template <class T, class R>
T* construct_array(R& from, void* p, std::size_t count) {
  auto* const first = static_cast<std::remove_cv_t<T>*>(p);
  std::size_t made = 0;
  on_failure destroy([&] { std::destroy_n(first, made); });
  for (; made != count; ++made) construct_with<T>(from, first + made);
  destroy.succeeded();
  return first;
}

// The memory of an object, which may be a constant.
inline void* memory_of(const volatile void* object) noexcept {
  return const_cast<void*>(object);
}

// Allocates room for a T and constructs it; the room goes back when the constructor throws.
template <class T, class R, class... Args>
T* allocate_and_construct(R& from, Args&&... args) {
  void* const p = from.allocate(sizeof(T), alignof(T));
  on_failure give_back([&] { from.deallocate(p, sizeof(T), alignof(T)); });
  T* const made = construct_with<T>(from, p, std::forward<Args>(args)...);
  give_back.succeeded();
  return made;
}

}  // namespace mallard::inline v1::detail
