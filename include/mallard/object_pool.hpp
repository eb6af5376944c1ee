// Purpose: objects of one type, made and destroyed one by one, side by side in their own slabs.
//
//   struct particle { float x, y; };
//   mallard::object_pool<particle> particles;
//   particle* p = particles.create(1.0f, 2.0f);
//   auto owned = particles.create_unique(3.0f, 4.0f);  // destroyed with the pointer
//   particles.destroy(p);
//
// Complexity: O(1), amortised where a slab changes. Thread-safety: none; one thread at a time per
// pool.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include "mallard/adaptive_pool.hpp"
#include "mallard/allocate_unique.hpp"
#include "mallard/detail/bindings/construct.hpp"
#include "mallard/page_source.hpp"

namespace mallard::inline v1 {

// A T that takes an allocator gets one of the pool's upstream, so its memory comes from where the
// slabs come from. `destroy` every object before the pool ends: the pool frees the memory without
// running destructors, and asserts that no object is left.
template <class T>
class object_pool {
 public:
  using value_type = T;
  using unique_ptr = std::unique_ptr<T, resource_deleter<T, adaptive_pool_resource>>;

  // Allocates nothing before the first object. `upstream` must outlive the pool.
  object_pool() noexcept : object_pool(page_source::instance()) {}
  explicit object_pool(upstream_ref upstream) noexcept
      : object_pool(adaptive_pool_options{}, upstream) {}
  // The block size and alignment are T's, whatever the options say.
  explicit object_pool(adaptive_pool_options options,
                       upstream_ref upstream = page_source::instance()) noexcept
      : nodes_(for_objects(options), upstream) {}
  object_pool(const object_pool&) = delete;
  object_pool& operator=(const object_pool&) = delete;
  MALLARD_BY_LEVEL ~object_pool() {
    MALLARD_ASSERT((std::is_trivially_destructible_v<T> || size() == 0) &&
                   "an object outlives its object_pool");
  }

  // Effects: makes a T.
  // Errors: what upstream or the constructor throws; in the latter case the memory is freed.
  template <class... Args>
  [[nodiscard]] T* create(Args&&... args) {
    void* const p = nodes_.allocate(sizeof(T), alignof(T));
    detail::on_failure give_back([&] { nodes_.deallocate(p, sizeof(T), alignof(T)); });
    T* const made = detail::construct_with<T>(*upstream_resource(), p, std::forward<Args>(args)...);
    give_back.succeeded();
    return made;
  }
  template <class... Args>
  [[nodiscard]] unique_ptr create_unique(Args&&... args) {
    return unique_ptr(create(std::forward<Args>(args)...),
                      resource_deleter<T, adaptive_pool_resource>(&nodes_));
  }

  // Effects: destroys an object of this pool and frees its memory.
  void destroy(T* object) noexcept {
    object->~T();
    nodes_.deallocate(const_cast<std::remove_cv_t<T>*>(object), sizeof(T), alignof(T));
  }

  // Effects: returns every empty slab to upstream. Returns the bytes.
  std::size_t trim() noexcept { return nodes_.trim(); }

  // Returns: the number of objects, including those too large for a slab. O(slabs).
  std::size_t size() const noexcept {
    const adaptive_pool_stats now = nodes_.stats();
    return now.in_use_blocks + now.oversize_blocks;
  }
  adaptive_pool_stats stats() const noexcept { return nodes_.stats(); }
  std::pmr::memory_resource* upstream_resource() const noexcept {
    return nodes_.upstream_resource();
  }

 private:
  static adaptive_pool_options for_objects(adaptive_pool_options options) noexcept {
    options.block_bytes = sizeof(T);
    options.alignment = alignof(T);
    return options;
  }

  adaptive_pool_resource nodes_;
};

}  // namespace mallard::inline v1
