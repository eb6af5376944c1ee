// Purpose: the types that may be winked out: those that own only memory of their allocator.
//
//   static_assert(mallard::is_winkable_v<std::pmr::map<int, std::pmr::string>>);
//   static_assert(!mallard::is_winkable_v<std::vector<int>>);  // of the global heap
//   struct parsed { std::pmr::vector<int> numbers; };
//   template <>
//   struct mallard::winkable<parsed> : std::true_type {};
//   int main() { static_assert(mallard::is_winkable_v<parsed>); }
//
// Complexity and thread-safety: compile time only.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

// True for types that own only memory obtained through the allocator they were given. Specialise it
// for types of your own, also for those derived from containers; containers answer by their
// elements and function objects.
template <class T>
struct winkable : std::is_trivially_destructible<T> {};

template <class T>
inline constexpr bool is_winkable_v = winkable<std::remove_const_t<T>>::value;

namespace detail {

// Allocators bound to a resource, by base or by type, also in a std::scoped_allocator_adaptor. One
// that keeps its resource alive owns more than memory.
template <class Allocator>
inline constexpr bool gives_back_to_a_resource = false;
template <class Allocator>  // a scoped one inherits the name
  requires(
              requires { typename Allocator::resource_type; } &&
              std::is_trivially_destructible_v<Allocator> &&
              !requires { typename Allocator::outer_allocator_type; })
inline constexpr bool gives_back_to_a_resource<Allocator> = true;
template <class T>
inline constexpr bool gives_back_to_a_resource<std::pmr::polymorphic_allocator<T>> = true;
template <class Scoped>
  requires requires {
    typename Scoped::outer_allocator_type;
    typename Scoped::inner_allocator_type;
  }
inline constexpr bool gives_back_to_a_resource<Scoped> =
    gives_back_to_a_resource<typename Scoped::outer_allocator_type> &&
    (std::same_as<Scoped, typename Scoped::inner_allocator_type> ||
     gives_back_to_a_resource<typename Scoped::inner_allocator_type>);

// Containers are specialisations of templates, and have among their arguments their allocator or a
// container of the same values that has it. A class that is derived from one may own anything.
template <class Argument, class Value>
concept brings_an_allocator = gives_back_to_a_resource<Argument> || requires {
  requires std::same_as<typename Argument::value_type, Value>;
  requires gives_back_to_a_resource<typename Argument::allocator_type>;
};
template <class T, class Value>
inline constexpr bool has_allocator = false;
template <template <class...> class Template, class... Ts, class Value>
inline constexpr bool has_allocator<Template<Ts...>, Value> =
    (brings_an_allocator<Ts, Value> || ...);
template <template <class, std::size_t, class...> class Template, class T, std::size_t N,
          class... Ts, class Value>
inline constexpr bool has_allocator<Template<T, N, Ts...>, Value> =
    (brings_an_allocator<Ts, Value> || ...);

template <class Container>
concept allocates_from_a_resource =
    requires {
      typename Container::allocator_type;
      typename Container::value_type;
    } && has_allocator<Container, typename Container::value_type> &&
    gives_back_to_a_resource<typename Container::allocator_type>;

// Whether an allocator that got no resource draws from a default one.
template <class Allocator>
inline constexpr bool draws_by_default = requires { requires Allocator::has_default_resource; };
template <class T>
inline constexpr bool draws_by_default<std::pmr::polymorphic_allocator<T>> = true;

// The allocator that elements are constructed with; void: none.
template <class Allocator>
struct given_allocator : std::type_identity<void> {};
template <class T>
struct given_allocator<std::pmr::polymorphic_allocator<T>>
    : std::type_identity<std::pmr::polymorphic_allocator<T>> {};
template <class Scoped>
  requires requires { typename Scoped::outer_allocator_type; }
struct given_allocator<Scoped> : std::type_identity<typename Scoped::inner_allocator_type> {};

// Whether the container's allocator reaches an element. An element that needs a resource gets one
// from the program; one that can do without would take memory from elsewhere.
template <class Allocator, class Value>
inline constexpr bool reaches = [] {
  if constexpr (requires { typename Value::allocator_type; }) {
    return std::uses_allocator_v<Value, typename given_allocator<Allocator>::type> ||
           !draws_by_default<typename Value::allocator_type> ||
           std::is_empty_v<typename Value::allocator_type>;
  } else {
    return true;
  }
}();
template <class Allocator, class First, class Second>
inline constexpr bool reaches<Allocator, std::pair<First, Second>> =
    reaches<Allocator, std::remove_const_t<First>> &&
    reaches<Allocator, std::remove_const_t<Second>>;
template <class Allocator, class... Ts>
inline constexpr bool reaches<Allocator, std::tuple<Ts...>> =
    (reaches<Allocator, std::remove_cvref_t<Ts>> && ...);

// A std::function that compares may own anything.
template <class Container>
constexpr bool has_winkable_functions() {
  bool all = true;
  if constexpr (requires { typename Container::key_compare; }) {
    all = all && is_winkable_v<typename Container::key_compare>;
  }
  if constexpr (requires { typename Container::hasher; }) {
    all = all && is_winkable_v<typename Container::hasher>;
  }
  if constexpr (requires { typename Container::key_equal; }) {
    all = all && is_winkable_v<typename Container::key_equal>;
  }
  return all;
}

// std::stack, queue and priority_queue.
template <class Adaptor>
concept adapts_a_container = !requires { typename Adaptor::allocator_type; } && requires {
  typename Adaptor::container_type;
  typename Adaptor::value_type;
} && has_allocator<Adaptor, typename Adaptor::value_type>;

template <class Adaptor>
constexpr bool is_winkable_adaptor() {
  if constexpr (requires { typename Adaptor::value_compare; }) {
    if (!is_winkable_v<typename Adaptor::value_compare>) return false;
  }
  return is_winkable_v<typename Adaptor::container_type>;
}

}  // namespace detail

template <detail::allocates_from_a_resource Container>
struct winkable<Container>
    : std::bool_constant<
          is_winkable_v<typename Container::value_type> &&
          detail::reaches<typename Container::allocator_type, typename Container::value_type> &&
          detail::has_winkable_functions<Container>()> {};

template <detail::adapts_a_container Adaptor>
struct winkable<Adaptor> : std::bool_constant<detail::is_winkable_adaptor<Adaptor>()> {};

template <class First, class Second>
struct winkable<std::pair<First, Second>>
    : std::bool_constant<is_winkable_v<First> && is_winkable_v<Second>> {};

template <class... Ts>
struct winkable<std::tuple<Ts...>> : std::bool_constant<(is_winkable_v<Ts> && ...)> {};

template <class... Ts>
struct winkable<std::variant<Ts...>> : std::bool_constant<(is_winkable_v<Ts> && ...)> {};

template <class T>
struct winkable<std::optional<T>> : winkable<std::remove_const_t<T>> {};

template <class T, std::size_t Count>
struct winkable<std::array<T, Count>> : winkable<std::remove_const_t<T>> {};

template <class T, std::size_t Count>
struct winkable<T[Count]> : winkable<std::remove_const_t<T>> {};

}  // namespace mallard::inline v1
