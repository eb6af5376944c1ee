// Purpose: single objects in a resource's memory, as `new` and `delete` make them.
//
//   mallard::multipool_resource pool;
//   std::pmr::string* name = mallard::new_object<std::pmr::string>(pool, "its text is there, too");
//   mallard::delete_object(pool, name);
//
// Complexity: an allocation or deallocation. Thread-safety: as the resource.
//
// Source of the idea: `new_object` and `delete_object` of `std::pmr::polymorphic_allocator`. An
// owning pointer, which deletes by itself, comes from `allocate_unique`.
#pragma once

#include <utility>

#include "mallard/bindable.hpp"
#include "mallard/detail/bindings/construct.hpp"

namespace mallard::inline v1 {

// Effects: makes a T in the resource. A T that takes an allocator gets one of this resource, unless
// the arguments include one.
// Errors: what the resource or the constructor throws; in the latter case the memory is freed.
template <class T, bindable_resource R, class... Args>
[[nodiscard]] T* new_object(R& from MALLARD_LIFETIMEBOUND, Args&&... args) {
  return detail::allocate_and_construct<T>(from, std::forward<Args>(args)...);
}

// Effects: destroys a T of `new_object<T>` and frees its memory. `object` is not null, and not a
// pointer to a base class of what was made.
template <bindable_resource R, class T>
void delete_object(R& from, T* object) noexcept {
  object->~T();
  from.deallocate(detail::memory_of(object), sizeof(T), alignof(T));
}

}  // namespace mallard::inline v1
