// Purpose: coroutines whose frames come from a resource that is passed to them.
//
//   struct task {
//     struct promise_type : mallard::frame_from<mallard::multipool_resource> {
//       task get_return_object() { return {}; }
//       std::suspend_never initial_suspend() { return {}; }
//       std::suspend_never final_suspend() noexcept { return {}; }
//       void return_void() {}
//       void unhandled_exception() {}
//     };
//   };
//   task tick(mallard::multipool_resource& frames, int n) { co_return; }  // as first argument, or
//   task tock(std::allocator_arg_t, mallard::multipool_resource* frames, int n) { co_return; }
//   int main() {
//     mallard::multipool_resource pool;
//     tick(pool, 1);
//     tock(std::allocator_arg, &pool, 2);
//   }
//
// Complexity: one allocation per call, and a pointer beside each frame, unless the resource has no
// state. Thread-safety: as the resource; whoever ends the coroutine frees its frame.
//
// Source of the convention: std::generator (P2502), after P0981.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <tuple>
#include <type_traits>

#include "mallard/bindable.hpp"
#include "mallard/detail/bindings/explain.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

namespace detail {

// Any object serves as well as another, so none is remembered.
template <class R>
concept stateless_resource = std::is_empty_v<R> && std::default_initializable<R>;

// A resource, a pointer to one, or something that converts to that.
template <class Argument, class R>
concept names_resource = std::convertible_to<Argument&, R*> || std::convertible_to<Argument*, R*>;

// The position of the argument that names the resource; the number of arguments if none does.
template <class R, class... Args>
consteval std::size_t resource_position() {
  const bool names[] = {names_resource<Args, R>..., false, false};
  const bool marks[] = {std::same_as<std::remove_const_t<Args>, std::allocator_arg_t>..., false,
                        false};
  for (const std::size_t i : {0u, 1u}) {
    if (names[i]) return i;
    if (marks[i]) return i + 1;
  }
  return sizeof...(Args);
}

template <class R, class Argument>
R* resource_named_by(Argument& argument) noexcept {
  if constexpr (std::convertible_to<Argument&, R*>) {
    return argument;
  } else if constexpr (std::convertible_to<Argument*, R*>) {
    return &argument;
  } else {
    static_assert(
        requires {
          { argument.resource() } -> std::convertible_to<R*>;
        },
        "the argument behind std::allocator_arg is no resource of the type that frames come from");
    return argument.resource();
  }
}

}  // namespace detail

// A base of promise types. The resource is the coroutine's first argument, or the second behind
// std::allocator_arg. Both may be one further back, behind the object of a member function or
// lambda. Pass the resource as a reference, a pointer or a resource_ref, behind std::allocator_arg
// also as an allocator bound to it. It must outlive the frame.
//
// Without such an argument `frame_from<>`, which binds by base, takes the default resource; a
// frame_from that binds by type does not compile.
template <bindable_resource R = std::pmr::memory_resource>
class frame_from {
 public:
  // Errors: what the resource throws; then the coroutine has not begun.
  template <class... Args>
  static void* operator new(std::size_t bytes, Args&&... args) {
    if constexpr (detail::stateless_resource<R>) {
      return R().allocate(bytes, alignment);
    } else {
      R* const resource = find(args...);
      void* const frame = resource->allocate(bytes_with_resource(bytes), alignment);
      ::new (behind(frame, bytes)) R*(resource);
      return frame;
    }
  }

  // Where this is not inline, gcc takes it and `new` for those of different types, and warns. clang
  // would have what the inlined code needs in the frame that it gives back.
#if defined(__GNUC__) && !defined(__clang__)
  [[gnu::always_inline]]
#endif
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    if constexpr (detail::stateless_resource<R>) {
      R().deallocate(frame, bytes, alignment);
    } else {
      R* const resource = *static_cast<R**>(behind(frame, bytes));
      resource->deallocate(frame, bytes_with_resource(bytes), alignment);
    }
  }

 private:
  static constexpr std::size_t alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

  static std::size_t resource_at(std::size_t frame_bytes) noexcept {
    return detail::round_up(frame_bytes, alignof(R*));
  }
  static std::size_t bytes_with_resource(std::size_t frame_bytes) noexcept {
    return resource_at(frame_bytes) + sizeof(R*);
  }
  static void* behind(void* frame, std::size_t bytes) noexcept {
    return static_cast<std::byte*>(frame) + resource_at(bytes);
  }

  template <class... Args>
  static R* find(Args&... args) noexcept {
    constexpr std::size_t at = detail::resource_position<R, Args...>();
    if constexpr (at < sizeof...(Args)) {
      return detail::resource_named_by<R>(std::get<at>(std::tie(args...)));
    } else if constexpr (std::same_as<R, std::pmr::memory_resource>) {
      return std::pmr::get_default_resource();
    } else {
      static_assert(detail::has_a_default<R>,
                    "pass the resource: the coroutine's frame comes from a resource by type, which "
                    "is its first argument or the one behind std::allocator_arg");
      return nullptr;
    }
  }
};

}  // namespace mallard::inline v1
