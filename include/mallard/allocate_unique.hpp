// Purpose: owning pointers to objects in a resource's memory; the deleter knows the resource.
//
//   mallard::multipool_resource pool;
//   auto name = mallard::allocate_unique<std::pmr::string>(pool, "in the pool, and its text too");
//   auto table = mallard::allocate_unique<int[]>(pool, 100);  // 100 zeros
//   std::unique_ptr<int, mallard::resource_deleter<int>> by_base =
//       mallard::allocate_unique<int>(*std::pmr::get_default_resource(), 7);
//
// Complexity: one allocation each. Thread-safety: as the resource.
//
// Source of the idea: `allocate_unique` of P0211 (Halpern).
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include "mallard/allocator.hpp"
#include "mallard/detail/bindings/construct.hpp"
#include "mallard/detail/failure.hpp"
#include "mallard/new_object.hpp"

namespace mallard::inline v1 {

// Destroys a T and frees its memory. The resource must outlive the pointer; it is bound by base
// unless its type is given.
template <class T, class R = std::pmr::memory_resource>
class resource_deleter {
 public:
  explicit resource_deleter(R* resource = nullptr) noexcept : resource_(resource) {}
  void operator()(T* p) const noexcept { delete_object(*resource_, p); }
  R* resource() const noexcept { return resource_; }

 private:
  R* resource_;
};

template <class T, class R>
class resource_deleter<T[], R> {
 public:
  explicit resource_deleter(R* resource = nullptr, std::size_t count = 0) noexcept
      : resource_(resource), count_(count) {}
  void operator()(T* p) const noexcept {
    std::destroy_n(p, count_);
    resource_->deallocate(detail::memory_of(p), count_ * sizeof(T), alignof(T));
  }
  R* resource() const noexcept { return resource_; }
  std::size_t size() const noexcept { return count_; }  // elements

 private:
  R* resource_;
  std::size_t count_;
};

// Effects: makes a T in the resource. A T that takes an allocator gets one of this resource, unless
// the arguments include one.
// Errors: what the resource or the constructor throws; in the latter case the memory is freed.
template <class T, bindable_resource R, class... Args>
  requires(!std::is_array_v<T>)
[[nodiscard]] std::unique_ptr<T, resource_deleter<T, R>> allocate_unique(R& from, Args&&... args) {
  return std::unique_ptr<T, resource_deleter<T, R>>(
      new_object<T>(from, std::forward<Args>(args)...), resource_deleter<T, R>(&from));
}

// Effects: makes `count` objects, each from no argument but the allocator, if it takes one.
// Errors: as above, and `std::bad_array_new_length` if their size does not fit.
template <class T, bindable_resource R>
  requires std::is_unbounded_array_v<T>
[[nodiscard]] std::unique_ptr<T, resource_deleter<T, R>> allocate_unique(R& from,
                                                                         std::size_t count) {
  using element = std::remove_extent_t<T>;
  if (count > ~std::size_t{0} / sizeof(element)) detail::fail_array_length();
  void* const memory = from.allocate(count * sizeof(element), alignof(element));
  detail::on_failure give_back(
      [&] { from.deallocate(memory, count * sizeof(element), alignof(element)); });
  element* const first = detail::construct_array<element>(from, memory, count);
  give_back.succeeded();
  return std::unique_ptr<T, resource_deleter<T, R>>(first, resource_deleter<T, R>(&from, count));
}

}  // namespace mallard::inline v1
