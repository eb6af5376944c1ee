// Purpose: binds containers to a heap so that arrays grow in place and nodes come in bursts:
// Boost's extended ("version 2") allocators, without including Boost.
//
//   #include <boost/container/list.hpp>
//   #include <boost/container/vector.hpp>
//   mallard::heap_resource heap;
//   boost::container::vector<int, mallard::expandable_allocator<int>> v{&heap};
//   for (int i = 0; i < 1'000'000; ++i) v.push_back(i);  // rarely moves an element
//   boost::container::list<int, mallard::expandable_allocator<int>> l{&heap};
//   l.insert(l.end(), 1000, 0);                          // one call for a thousand nodes
//
// Complexity and thread-safety: as the resource.
//
// For std's containers it is an ordinary allocator, which also tells the real size of an allocation
// (C++23's `allocate_at_least`). They never grow in place, and each of their nodes costs a header:
// use `mallard::allocator` for node containers.
#pragma once

#include <cstddef>
#include <type_traits>
#include <version>
#ifdef __cpp_lib_allocate_at_least
#include <memory>
#endif

#include "mallard/detail/bindings/explain.hpp"
#include "mallard/extended_allocator.hpp"
#include "mallard/heap.hpp"

namespace mallard::inline v1 {

// Capabilities to switch off, to measure what each is worth. Combine them by `|`.
enum class without : unsigned {
  nothing = 0,
  version_2 = 1,  // an ordinary allocator; a single object is a node in a slab
  forward = 2,
  backward = 4,
  received_size = 8,  // an allocation has no more than was asked for
};
constexpr without operator|(without a, without b) noexcept {
  return static_cast<without>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
// Returns: whether `a` has any of `b`.
constexpr bool operator&(without a, without b) noexcept {
  return (static_cast<unsigned>(a) & static_cast<unsigned>(b)) != 0;
}

// The result of `allocate_at_least`: std's type if the library has one.
#ifdef __cpp_lib_allocate_at_least
template <class T>
using sized_array = std::allocation_result<T*>;
#else
template <class T>
struct sized_array {
  T* ptr;
  std::size_t count;
};
#endif

template <class T, class Resource = heap_resource, without Mask = without::nothing>
class expandable_allocator : public extended_allocator<expandable_allocator<T, Resource, Mask>, T> {
  using base = extended_allocator<expandable_allocator, T>;
  friend base;
  using base::bytes_of;
  using base::max_count;

 public:
  using resource_type = Resource;
  using version = std::integral_constant<unsigned, (Mask & without::version_2) ? 1 : 2>;
  template <class U>
  struct rebind {
    using other = expandable_allocator<U, Resource, Mask>;
  };

  template <class Bound = Resource>
  expandable_allocator() noexcept : resource_(nullptr) {
    static_assert(detail::has_a_default<Bound>, MALLARD_PASS_THE_RESOURCE);
  }
  // `resource` must outlive every container that got this allocator or a copy of it.
  expandable_allocator(Resource* resource) noexcept  // NOLINT: implicit, as in pmr
      : resource_(resource) {}
  expandable_allocator(Resource& resource) noexcept  // NOLINT: implicit, as the other
      : resource_(&resource) {}
  template <class U>
  expandable_allocator(const expandable_allocator<U, Resource, Mask>& other) noexcept
      : resource_(other.resource()) {}

  // Effects: allocates room for `n` or more objects; `deallocate` takes any count from `n` to that.
  // Errors: `std::bad_array_new_length` if their size does not fit, or what the resource throws.
  [[nodiscard]] T* allocate(std::size_t n) { return allocate_at_least(n).ptr; }
  [[nodiscard]] sized_array<T> allocate_at_least(std::size_t n) {
    if (is_node(n)) return {base::allocate_one(), 1};
    const sized_block block = resource_->allocate_at_least(bytes_of(n), alignof(T));
    return {static_cast<T*>(block.p), received(block.bytes, n)};
  }
  void deallocate(T* p, [[maybe_unused]] std::size_t n) noexcept {
    if (is_node(n)) return base::deallocate_one(p);
    resource_->deallocate_expandable(p);
  }

  Resource* resource() const noexcept { return resource_; }

  template <class U>
  bool operator==(const expandable_allocator<U, Resource, Mask>& other) const noexcept {
    return resource_ == other.resource();
  }

 private:
  // One object is a node if nothing can grow to one or shrink to it.
  static constexpr bool is_node(std::size_t n) noexcept {
    return (Mask & without::version_2) && n <= 1;
  }
  static constexpr std::size_t received(std::size_t bytes, std::size_t asked_for) noexcept {
    const std::size_t count = bytes / sizeof(T);
    return (Mask & without::received_size) && asked_for < count ? asked_for : count;
  }

  template <class Do>
  auto with_nodes(Do&& what) const {
    return what(*resource_);
  }

  T* try_command(unsigned command, std::size_t limit, std::size_t& count, T*& reuse) noexcept {
    if ((command & (detail::shrink_flag | detail::try_shrink_flag)) != 0) {
      return shrink(command, limit, count, count, reuse);
    }
    const std::size_t preferred = detail::larger(count, limit);
    count = limit;  // unless there is memory
    if (limit > max_count) return nullptr;
    const std::size_t least = limit * sizeof(T);
    const std::size_t most = (preferred > max_count ? limit : preferred) * sizeof(T);
    const bool expands =
        reuse != nullptr && (command & (detail::forward_flag | detail::backward_flag)) != 0;
    if (expands) {
      if (T* const p = expand(command, most, most, count, reuse)) return p;
    }
    if ((command & detail::new_flag) != 0) {
      const sized_block block = resource_->try_allocate_expandable(least, most, alignof(T));
      if (block.p != nullptr) {
        count = received(block.bytes, preferred);
        reuse = nullptr;
        return static_cast<T*>(block.p);
      }
    }
    if (expands && least < most) {
      if (T* const p = expand(command, least, most, count, reuse)) return p;
    }
    return nullptr;
  }

  T* expand(unsigned command, std::size_t least, std::size_t most, std::size_t& count,
            T* reuse) noexcept {
    if ((command & detail::forward_flag) != 0 && !(Mask & without::forward)) {
      if (const std::size_t bytes = resource_->try_expand(reuse, 0, least, most)) {
        count = received(bytes, most / sizeof(T));
        return reuse;
      }
    }
    if ((command & detail::backward_flag) != 0 && !(Mask & without::backward) && alignof(T) <= 16) {
      const sized_block block = resource_->try_expand_backward(reuse, 0, least, most, sizeof(T));
      if (block.p != nullptr) {
        count = received(block.bytes, most / sizeof(T));
        return static_cast<T*>(block.p);
      }
    }
    return nullptr;
  }

  T* shrink(unsigned command, std::size_t limit, std::size_t preferred, std::size_t& count,
            T* reuse) noexcept {
    if (reuse == nullptr || limit > max_count) return nullptr;
    const std::size_t most = limit * sizeof(T);
    const std::size_t wanted = preferred > limit ? most : preferred * sizeof(T);
    const std::size_t bytes = (command & detail::try_shrink_flag) != 0
                                  ? resource_->shrinkable_to(reuse, 0, most, wanted)
                                  : resource_->shrink(reuse, 0, most, wanted);
    if (bytes == 0) return nullptr;
    count = received(bytes, preferred);
    return reuse;
  }

  Resource* resource_;
};

}  // namespace mallard::inline v1
