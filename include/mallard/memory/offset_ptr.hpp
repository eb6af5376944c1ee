// Purpose: a pointer that holds the distance to its target, so it is right wherever the memory with
// both of them is mapped.
//
//   struct node {
//     mallard::offset_ptr<node> next;
//     int value;
//   };
//   node* first = shared.make<node>("list", nullptr, 1);
//   first->next = shared.make<node>("second", nullptr, 2);  // right in every process
//
// Complexity: an addition more than a plain pointer. Thread-safety: as a plain pointer.
//
// Source of the idea: Boost.Interprocess's offset_ptr. As there, a distance of one byte means null,
// so a pointer may point to itself.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

// Also an allocator's `pointer` ([allocator.requirements]) and a random access iterator.
template <class T>
class offset_ptr {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = offset_ptr;
  using reference = std::add_lvalue_reference_t<T>;
  using iterator_category = std::random_access_iterator_tag;
  template <class U>
  using rebind = offset_ptr<U>;

  offset_ptr() noexcept = default;
  offset_ptr(std::nullptr_t) noexcept {}  // NOLINT: as a pointer
  // A template, so that 0 is a null pointer and nothing else.
  template <class U>
    requires std::convertible_to<U*, T*>
  offset_ptr(U* p) noexcept {  // NOLINT: as a pointer
    set(p);
  }
  offset_ptr(const offset_ptr& other) noexcept { set(other.get()); }
  template <class U>
    requires std::convertible_to<U*, T*>
  offset_ptr(const offset_ptr<U>& other) noexcept {
    set(other.get());
  }  // NOLINT: as a pointer
  // From void, or to a derived class: as static_cast of the pointers.
  template <class U>
    requires(!std::convertible_to<U*, T*> && requires(U* p) { static_cast<T*>(p); })
  explicit offset_ptr(const offset_ptr<U>& other) noexcept {
    set(static_cast<T*>(other.get()));
  }
  offset_ptr& operator=(const offset_ptr& other) noexcept {
    set(other.get());
    return *this;
  }

  template <class U = T>
    requires(!std::is_void_v<U>)
  static offset_ptr pointer_to(U& object) noexcept {
    return offset_ptr(std::addressof(object));
  }

  T* get() const noexcept {
    if (distance_ == null_distance) return nullptr;
    return reinterpret_cast<T*>(own_address() + static_cast<std::uintptr_t>(distance_));
  }
  T* operator->() const noexcept { return get(); }
  reference operator*() const noexcept { return *get(); }
  template <class U = T>
  std::add_lvalue_reference_t<U> operator[](difference_type i) const noexcept {
    return get()[i];
  }
  explicit operator bool() const noexcept { return distance_ != null_distance; }

  offset_ptr& operator+=(difference_type n) noexcept {
    set(get() + n);
    return *this;
  }
  offset_ptr& operator-=(difference_type n) noexcept { return *this += -n; }
  offset_ptr& operator++() noexcept { return *this += 1; }
  offset_ptr& operator--() noexcept { return *this += -1; }
  offset_ptr operator++(int) noexcept {
    const offset_ptr before = *this;
    ++*this;
    return before;
  }
  offset_ptr operator--(int) noexcept {
    const offset_ptr before = *this;
    --*this;
    return before;
  }
  friend offset_ptr operator+(const offset_ptr& p, difference_type n) noexcept {
    return offset_ptr(p.get() + n);
  }
  friend offset_ptr operator+(difference_type n, const offset_ptr& p) noexcept { return p + n; }
  friend offset_ptr operator-(const offset_ptr& p, difference_type n) noexcept {
    return offset_ptr(p.get() - n);
  }
  friend difference_type operator-(const offset_ptr& a, const offset_ptr& b) noexcept {
    return a.get() - b.get();
  }

  friend bool operator==(const offset_ptr& a, const offset_ptr& b) noexcept {
    return a.get() == b.get();
  }
  friend bool operator==(const offset_ptr& p, std::nullptr_t) noexcept { return !p; }
  friend std::strong_ordering operator<=>(const offset_ptr& a, const offset_ptr& b) noexcept {
    return std::compare_three_way()(a.get(), b.get());
  }

 private:
  static constexpr std::ptrdiff_t null_distance = 1;

  std::uintptr_t own_address() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }
  void set(T* p) noexcept {
    distance_ =
        p == nullptr
            ? null_distance
            : static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(p) - own_address());
  }

  std::ptrdiff_t distance_ = null_distance;
};

template <class T, class U>
  requires(!std::same_as<T, U> && std::equality_comparable_with<T*, U*>)
bool operator==(const offset_ptr<T>& a, const offset_ptr<U>& b) noexcept {
  return a.get() == b.get();
}
template <class T, class U>
  requires(!std::same_as<T, U> && std::equality_comparable_with<T*, U*>)
std::strong_ordering operator<=>(const offset_ptr<T>& a, const offset_ptr<U>& b) noexcept {
  return std::compare_three_way()(static_cast<const volatile void*>(a.get()),
                                  static_cast<const volatile void*>(b.get()));
}

}  // namespace mallard::inline v1
