// Purpose: single objects in the memory of a resource, as `new` and `delete` have them.
//
//   mallard::multipool_resource pool;
//   std::pmr::string* name = mallard::new_object<std::pmr::string>(pool, "in the pool, as its
//   text"); mallard::delete_object(pool, name);
//
// Complexity: an allocation or deallocation. Thread-safety: as the resource.
//
// Source of the idea: `new_object` and `delete_object` of `std::pmr::polymorphic_allocator`. An
// owning pointer does the second by itself: `allocate_unique`.
#pragma once

#include <utility>

#include "mallard/bindable.hpp"
#include "mallard/detail/bindings/construct.hpp"

namespace mallard::inline v1 {

// Effects: makes a T in the resource. A T that takes an allocator gets one of this resource, unless
// it is among the arguments.
// Errors: what the resource or the constructor throws; in the latter case the memory is given back.
template <class T, bindable_resource R, class... Args>
[[nodiscard]] T* new_object(R& from MALLARD_LIFETIMEBOUND, Args&&... args) {
  return detail::allocate_and_construct<T>(from, std::forward<Args>(args)...);
}

// Effects: destroys a T of `new_object<T>` and gives its memory back. `object` is not null, and no
// base class of what was made.
template <bindable_resource R, class T>
void delete_object(R& from, T* object) noexcept {
  object->~T();
  from.deallocate(detail::memory_of(object), sizeof(T), alignof(T));
}

}  // namespace mallard::inline v1
