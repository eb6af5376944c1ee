// Purpose: binds containers to a heap so that arrays grow where they are and nodes come in bursts:
// Boost's extended ("version 2") allocators, without including Boost.
//
//   mallard::heap_resource heap;
//   boost::container::vector<int, mallard::expandable_allocator<int>> v{&heap};
//   for (int i = 0; i < 1'000'000; ++i) v.push_back(i);  // hardly an element is ever moved
//   boost::container::list<int, mallard::expandable_allocator<int>> l{&heap};
//   l.insert(l.end(), 1000, 0);                          // one call for a thousand nodes
//
// Complexity and thread-safety: as the resource.
//
// With a std container it is an ordinary allocator, which also tells the real size of what it
// allocates (C++23's `allocate_at_least`); std's containers never grow in place. The nodes of std's
// containers cost a header each with it: use `mallard::allocator` for these.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>

#include "mallard/detail/bindings/node_chain.hpp"
#include "mallard/heap.hpp"

namespace mallard::inline v1 {

// Capabilities that can be switched off, to measure what each is worth.
enum expansion_mask : unsigned {
  expand_all = 0,
  no_version_2 = 1,  // an ordinary allocator
  no_forward = 2,
  no_backward = 4,
  no_received_size = 8,  // what is allocated has the size that was asked for
};

template <class T>
struct sized_array {
  T* ptr;
  std::size_t count;
};

template <class T, class Resource = heap_resource, unsigned Mask = expand_all>
class expandable_allocator {
 public:
  using value_type = T;
  using pointer = T*;
  using size_type = std::size_t;
  using resource_type = Resource;
  using version = std::integral_constant<unsigned, (Mask & no_version_2) != 0 ? 1 : 2>;
  using multiallocation_chain = detail::node_chain<T>;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::false_type;
  using propagate_on_container_swap = std::false_type;
  using is_always_equal = std::false_type;
  template <class U>
  struct rebind {
    using other = expandable_allocator<U, Resource, Mask>;
  };

  // `resource` must outlive every container that got this allocator or a copy of it.
  expandable_allocator(Resource* resource) noexcept  // NOLINT: implicit, as in pmr
      : resource_(resource) {}
  template <class U>
  expandable_allocator(const expandable_allocator<U, Resource, Mask>& other) noexcept
      : resource_(other.resource()) {}

  // Effects: room for `n` objects, or more; `deallocate` takes it back with any count in between.
  // Errors: `std::bad_array_new_length` when their size does not fit, or what the resource throws.
  [[nodiscard]] T* allocate(std::size_t n) { return allocate_at_least(n).ptr; }
  [[nodiscard]] sized_array<T> allocate_at_least(std::size_t n) {
    const sized_block block = resource_->allocate_at_least(bytes_of(n), alignof(T));
    return {static_cast<T*>(block.p), received(block.bytes, n)};
  }
  void deallocate(T* p, std::size_t) noexcept { resource_->deallocate_expandable(p); }

  // One node, and many; only these take each other back.
  [[nodiscard]] T* allocate_one() {
    return static_cast<T*>(resource_->allocate(node_bytes, node_alignment));
  }
  void deallocate_one(T* p) noexcept { resource_->deallocate(p, node_bytes, node_alignment); }

  // Effects: appends `n` nodes to `chain`. All or none.
  void allocate_individual(std::size_t n, multiallocation_chain& chain) {
    multiallocation_chain more(resource_->allocate_many(n, node_bytes, node_alignment));
    chain.splice_after(chain.last(), more);
  }
  // Effects: gives the nodes of a chain back, maybe of an empty one; it is empty then.
  void deallocate_individual(multiallocation_chain& chain) noexcept {
    resource_->deallocate_many(chain.extract_blocks(), node_bytes, node_alignment);
  }

  // Boost's one call for arrays. `command` is a set of its flags; counts are in objects. In:
  // `count` is what is preferred, `limit` what has to do (more than that when shrinking), `reuse`
  // the array there is, or null. Out: `count` is what the array has now, or, when nothing could be
  // done, what might be possible; `reuse` is null when the returned array is a new one.
  // Errors: null with the flag for it, else std::bad_alloc. Then nothing has changed.
  T* allocation_command(unsigned command, std::size_t limit, std::size_t& count, T*& reuse) {
    T* const p = try_command(command, limit, count, reuse);
    if (p == nullptr && (command & nothrow_flag) == 0) throw std::bad_alloc();
    return p;
  }

  Resource* resource() const noexcept { return resource_; }
  std::size_t max_size() const noexcept { return max_count; }

  template <class U>
  bool operator==(const expandable_allocator<U, Resource, Mask>& other) const noexcept {
    return resource_ == other.resource();
  }

 private:
  // The values of Boost's `allocation_type`.
  enum : unsigned {
    new_flag = 1,
    forward_flag = 2,
    backward_flag = 4,
    shrink_flag = 8,
    nothrow_flag = 16,
    try_shrink_flag = 64,
  };
  // A free node holds its link.
  static constexpr std::size_t node_bytes = sizeof(T) < sizeof(void*) ? sizeof(void*) : sizeof(T);
  static constexpr std::size_t node_alignment = alignof(T);
  static constexpr std::size_t max_count = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);

  static std::size_t bytes_of(std::size_t n) {
    if (n > max_count) throw std::bad_array_new_length();
    return n * sizeof(T);
  }
  static constexpr std::size_t received(std::size_t bytes, std::size_t asked_for) noexcept {
    return (Mask & no_received_size) != 0 ? asked_for : bytes / sizeof(T);
  }

  T* try_command(unsigned command, std::size_t limit, std::size_t& count, T*& reuse) noexcept {
    const std::size_t preferred = count;
    if ((command & (shrink_flag | try_shrink_flag)) != 0) {
      return shrink(command, limit, preferred, count, reuse);
    }
    if (limit > max_count) return nullptr;
    const std::size_t least = limit * sizeof(T);
    const std::size_t most = (preferred > max_count ? limit : preferred) * sizeof(T);
    const bool expands = reuse != nullptr && (command & (forward_flag | backward_flag)) != 0;
    if (expands) {
      if (T* const p = expand(command, most, most, count, reuse)) return p;
    }
    if ((command & new_flag) != 0) {
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
    count = limit;
    return nullptr;
  }

  T* expand(unsigned command, std::size_t least, std::size_t most, std::size_t& count,
            T* reuse) noexcept {
    if ((command & forward_flag) != 0 && (Mask & no_forward) == 0) {
      if (const std::size_t bytes = resource_->try_expand(reuse, 0, least, most)) {
        count = received(bytes, most / sizeof(T));
        return reuse;
      }
    }
    if ((command & backward_flag) != 0 && (Mask & no_backward) == 0 && alignof(T) <= 16) {
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
    const std::size_t bytes =
        (command & try_shrink_flag) != 0
            ? resource_->try_shrink(reuse, 0, most, preferred * sizeof(T))
            : resource_->shrink_in_place(reuse, 0, most, preferred * sizeof(T));
    if (bytes == 0) return nullptr;
    count = received(bytes, preferred);
    return reuse;
  }

  Resource* resource_;
};

}  // namespace mallard::inline v1
