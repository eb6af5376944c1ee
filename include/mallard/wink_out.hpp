// Purpose: winking out: dropping objects with their memory, without running their destructors.
//
//   mallard::monotonic_resource arena;
//   mallard::wink_scope scope{arena};
//   using ints = std::vector<int, mallard::allocator<int, mallard::monotonic_resource>>;
//   ints& v = *mallard::make<ints>(arena);
//   v.assign(1000, 7);  // no destructor runs; the scope releases the arena
//
// Complexity: that of the resource's release. Thread-safety: as the resource.
//
// Winking out is safe if the object lives in the resource, owns nothing but memory, and all of that
// memory comes from this resource. See docs/winking-out.md.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "mallard/allocator.hpp"
#include "mallard/detail/bindings/construct.hpp"
#include "mallard/winkable.hpp"

namespace mallard::inline v1 {

namespace detail {

// Whether a T made with `from` and these arguments can have its memory from there. An allocator
// without state says itself where from.
template <class T, class R, class... Args>
constexpr bool gets_a_resource() {
  if constexpr (requires { typename T::allocator_type; }) {
    using allocator = typename T::allocator_type;
    return std::is_empty_v<allocator> || std::uses_allocator_v<T, any_binding<std::byte, R>> ||
           (... || std::convertible_to<Args, allocator>);
  } else {
    return true;
  }
}

}  // namespace detail

// Effects: makes a T in the resource's memory. Its destructor will never run; releasing the
// resource frees the memory. A T that takes an allocator gets one of this resource, as `std::pmr`
// containers give theirs to their elements, unless the arguments include one.
// Errors: what the resource or the constructor throws; in the latter case the memory is freed.
template <class T, bindable_resource R, class... Args>
[[nodiscard]] T* make(R& from MALLARD_LIFETIMEBOUND, Args&&... args) {
  static_assert(is_winkable_v<T>,
                "T may own more than memory: specialise mallard::winkable<T> if it does not, or "
                "create it in an arena, which destroys it (mallard/create.hpp)");
  static_assert(detail::gets_a_resource<T, R, Args...>(),
                "T's allocator is not made from this resource, and would take its default: pass "
                "one that draws from this resource");
  T* const made = detail::allocate_and_construct<T>(from, std::forward<Args>(args)...);
  if constexpr (requires { from.on_make(made); }) from.on_make(made);  // a checked one
  return made;
}

// Releases the resource at the end of the scope, with everything made in it.
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
