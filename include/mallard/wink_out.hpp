// Purpose: winking out: dropping objects with their memory, without running their destructors.
//
//   mallard::monotonic_resource arena;
//   mallard::wink_scope scope{arena};
//   using ints = std::vector<int, mallard::allocator<int, mallard::monotonic_resource>>;
//   ints& v = *mallard::make<ints>(arena, &arena);
//   v.assign(1000, 7);  // no destructor runs; the scope releases the arena
//
// Complexity: that of the resource's release. Thread-safety: as the resource.
//
// It is safe when the object itself lives in the resource, all it owns is memory, and all of that
// memory comes from the same resource. See docs/winking-out.md.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <utility>

#include "mallard/allocator.hpp"

namespace mallard::inline v1 {

// True for types that own nothing but memory obtained through the allocator they were given.
// Specialise it for types of your own; the containers below answer by their element types.
template <class T>
struct winkable : std::is_trivially_destructible<T> {};

template <class T>
inline constexpr bool is_winkable_v = winkable<T>::value;

namespace detail {

template <class Allocator>
inline constexpr bool gives_back_to_a_resource = false;
template <class T, class R>
inline constexpr bool gives_back_to_a_resource<allocator<T, R>> = true;
template <class T>
inline constexpr bool gives_back_to_a_resource<std::pmr::polymorphic_allocator<T>> = true;

template <class Container>
concept allocates_from_a_resource = requires {
  typename Container::allocator_type;
  typename Container::value_type;
} && gives_back_to_a_resource<typename Container::allocator_type>;

}  // namespace detail

// Standard containers and strings whose allocator is bound to a resource own only memory of that
// resource, if their elements do.
template <detail::allocates_from_a_resource Container>
struct winkable<Container> : winkable<typename Container::value_type> {};

template <class First, class Second>
struct winkable<std::pair<First, Second>>
    : std::bool_constant<winkable<std::remove_const_t<First>>::value &&
                         winkable<std::remove_const_t<Second>>::value> {};

// Effects: makes a T in memory of the resource. Its destructor will never run; the memory comes
// back when the resource is released. The allocator of T, if it has one, is among the arguments.
// Errors: what the resource or the constructor throws; in the latter case the memory is given back.
template <class T, bindable_resource R, class... Args>
  requires std::constructible_from<T, Args...>
[[nodiscard]] T* make(R& from, Args&&... args) {
  static_assert(is_winkable_v<T>,
                "T may own more than memory: specialise mallard::winkable<T> if it does not");
  void* const p = from.allocate(sizeof(T), alignof(T));
  try {
    return ::new (p) T(std::forward<Args>(args)...);
  } catch (...) {
    from.deallocate(p, sizeof(T), alignof(T));
    throw;
  }
}

// Releases the resource at the end of the scope, and with it everything made in it.
template <class R>
  requires requires(R& r) { r.release(); }
class [[nodiscard]] wink_scope {
 public:
  explicit wink_scope(R& resource) noexcept : resource_(resource) {}
  wink_scope(const wink_scope&) = delete;
  wink_scope& operator=(const wink_scope&) = delete;
  ~wink_scope() { resource_.release(); }

 private:
  R& resource_;
};

}  // namespace mallard::inline v1
