// Purpose: objects in an arena that the arena destroys when it frees their memory.
//
//   mallard::monotonic_resource arena;
//   std::ofstream& log = *mallard::create<std::ofstream>(arena, "log.txt");
//   std::string& name = *mallard::create<std::string>(arena, "its text is in the global heap");
//   FILE* words = mallard::own(arena, std::fopen("words", "r"), [](FILE* f) { std::fclose(f); });
//   arena.release();  // closes `words`, destroys `name`, then closes and destroys `log`
//
// Complexity: one allocation, with two words beside each object that has a destructor; destruction
// O(1) per object. Thread-safety: as the arena.
//
// The arenas are monotonic_resource, buffered_resource, reserved_resource and scratch_scope. Their
// `release`, `reset`, `rewind` and destructor destroy what they free, newest first. `rewind` to a
// mark keeps what was created before it. A destructor may use the arena and create objects in it,
// which are destroyed next. It must not release or rewind the arena.
//
// For objects that own only memory of the arena, `make` (wink_out.hpp) is cheaper: they need no
// destructor. See docs/winking-out.md.
//
// Source of the idea: protobuf's Arena::Create and Arena::Own.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "mallard/bindable.hpp"
#include "mallard/detail/bindings/construct.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/failure.hpp"
#include "mallard/detail/resources/created_objects.hpp"

namespace mallard::inline v1 {

namespace detail {

// The record of an object, and the object.
template <class T>
struct created : created_object {
  alignas(T) std::byte room[sizeof(T)];

  static void destroy_it(created_object& record) noexcept {
    std::destroy_at(std::launder(reinterpret_cast<T*>(static_cast<created&>(record).room)));
  }
};

// The record of an array; the elements follow it.
template <class T>
struct created_array : created_object {
  std::size_t count;

  static constexpr std::size_t alignment = larger(alignof(T), std::size_t{alignof(created_object)});
  static constexpr std::size_t elements_at() noexcept {
    return round_up(sizeof(created_array), alignof(T));
  }
  static void destroy_it(created_object& record) noexcept {
    auto& array = static_cast<created_array&>(record);
    auto* const first = reinterpret_cast<std::byte*>(&array) + elements_at();
    for (std::size_t i = array.count; i != 0; --i) {
      std::destroy_at(std::launder(reinterpret_cast<T*>(first) + (i - 1)));
    }
  }
};

}  // namespace detail

// A resource that destroys what is created in it.
template <class R>
concept creating_resource =
    bindable_resource<R> &&
    requires(R& arena, detail::created_object& record) { arena.destroy_with_memory(record); };

// Effects: makes a T in the arena, which destroys it later. A T that takes an allocator gets one of
// this arena, unless the arguments include one. A T with a trivial destructor needs no record.
// Errors: what the arena or the constructor throws; then nothing will be destroyed.
template <class T, creating_resource R, class... Args>
  requires(!std::is_array_v<T>)
T* create(R& arena MALLARD_LIFETIMEBOUND, Args&&... args) {
  if constexpr (std::is_trivially_destructible_v<T>) {
    return detail::allocate_and_construct<T>(arena, std::forward<Args>(args)...);
  } else {
    using record = detail::created<T>;
    void* const memory = arena.allocate(sizeof(record), alignof(record));
    detail::on_failure give_back(
        [&] { arena.deallocate(memory, sizeof(record), alignof(record)); });
    auto* const made = ::new (memory) record;
    T* const object = detail::construct_with<T>(arena, made->room, std::forward<Args>(args)...);
    give_back.succeeded();
    made->destroy = &record::destroy_it;
    arena.destroy_with_memory(*made);
    return object;
  }
}

// Effects: `create<T[]>(arena, count)` makes `count` objects, each from no argument but the
// allocator, if it takes one. The arena destroys the last first. Costs three words more.
// Errors: as above, and `std::bad_array_new_length` if their size does not fit.
template <class T, creating_resource R>
  requires std::is_unbounded_array_v<T>
std::span<std::remove_extent_t<T>> create(R& arena MALLARD_LIFETIMEBOUND, std::size_t count) {
  using element = std::remove_extent_t<T>;
  using record = detail::created_array<element>;
  constexpr bool is_trivial = std::is_trivially_destructible_v<element>;
  constexpr std::size_t before = is_trivial ? 0 : record::elements_at();
  constexpr std::size_t alignment = is_trivial ? alignof(element) : record::alignment;
  if (count > (~std::size_t{0} - before) / sizeof(element)) detail::fail_array_length();
  const std::size_t bytes = before + count * sizeof(element);
  auto* const memory = static_cast<std::byte*>(arena.allocate(bytes, alignment));
  detail::on_failure give_back([&] { arena.deallocate(memory, bytes, alignment); });
  element* const first = detail::construct_array<element>(arena, memory + before, count);
  give_back.succeeded();
  if constexpr (!is_trivial) {
    auto* const made = ::new (static_cast<void*>(memory)) record;
    made->count = count;
    made->destroy = &record::destroy_it;
    arena.destroy_with_memory(*made);
  }
  return {first, count};
}

// Effects: takes over `object`. The arena passes it to `dispose`, by default `delete`, unless it is
// null. Returns `object`. Costs three words in the arena, plus what `dispose` holds.
// Errors: what the arena throws; then `object` has been disposed of.
template <creating_resource R, class T, class Dispose = std::default_delete<T>>
T* own(R& arena, T* object, Dispose dispose = {}) {
  std::unique_ptr<T, Dispose> owner(object, std::move(dispose));
  return create<std::unique_ptr<T, Dispose>>(arena, std::move(owner))->get();
}

}  // namespace mallard::inline v1
