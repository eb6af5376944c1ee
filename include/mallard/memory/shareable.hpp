// Purpose: the types that may lie in memory that others map at other addresses. An object that
// holds an address may not: a resource, anything with virtual functions, a container whose
// allocator uses plain pointers.
//
//   static_assert(!mallard::is_shareable_v<std::pmr::vector<int>>);
//   static_assert(!mallard::is_shareable_v<mallard::multipool_resource>);
//   static_assert(mallard::is_shareable_v<
//                 std::vector<int, mallard::offset_allocator<int>>>);
//   template <>
//   constexpr bool mallard::is_shareable_v<has_a_pointer> = false;  // its members cannot be seen
//
// Complexity: none at run time. Thread-safety: not applicable.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

class resource_ref;
template <class T>
class object_pool;

namespace detail {
template <class T>
constexpr bool is_shareable();
}

// The members of a class cannot be seen: specialise it for your classes that hold addresses.
template <class T>
inline constexpr bool is_shareable_v = detail::is_shareable<T>();

namespace detail {

template <class T>
inline constexpr bool views_memory = false;
template <class C, class Traits>
inline constexpr bool views_memory<std::basic_string_view<C, Traits>> = true;
template <class T, std::size_t N>
inline constexpr bool views_memory<std::span<T, N>> = true;
template <class T>
inline constexpr bool views_memory<std::reference_wrapper<T>> = true;
template <class T>
inline constexpr bool views_memory<std::shared_ptr<T>> = true;
template <class T>
inline constexpr bool views_memory<std::weak_ptr<T>> = true;
template <class Signature>
inline constexpr bool views_memory<std::function<Signature>> = true;
template <class T>
inline constexpr bool views_memory<object_pool<T>> = true;
template <>
inline constexpr bool views_memory<resource_ref> = true;

template <class T>
constexpr bool has_plain_pointers() {
  if constexpr (requires { typename T::allocator_type; }) {
    using pointer = typename std::allocator_traits<typename T::allocator_type>::pointer;
    return std::is_pointer_v<pointer>;
  } else if constexpr (requires { typename T::deleter_type; }) {
    return std::is_pointer_v<typename T::pointer>;
  } else if constexpr (requires(T& a) { a.deallocate(a.allocate(1), 1); }) {  // an allocator
    return std::is_pointer_v<typename std::allocator_traits<T>::pointer>;
  } else {
    return false;
  }
}

template <class T>
inline constexpr bool has_shareable_parts = true;
template <template <class...> class Template, class... Args>
inline constexpr bool has_shareable_parts<Template<Args...>> =
    (... && (std::is_void_v<Args> || std::is_function_v<Args> || is_shareable_v<Args>));
template <class T, std::size_t N>
inline constexpr bool has_shareable_parts<std::array<T, N>> = is_shareable_v<T>;

template <class T>
constexpr bool is_shareable() {
  using U = std::remove_cv_t<T>;
  if constexpr (!std::is_same_v<T, U>) {
    return is_shareable_v<U>;
  } else if constexpr (std::is_array_v<U>) {
    return is_shareable_v<std::remove_all_extents_t<U>>;
  } else if constexpr (std::is_pointer_v<U> || std::is_member_pointer_v<U> ||
                       std::is_reference_v<U> || std::is_polymorphic_v<U> || views_memory<U>) {
    return false;
  } else {
    return !has_plain_pointers<U>() && has_shareable_parts<U>;
  }
}

}  // namespace detail

}  // namespace mallard::inline v1
