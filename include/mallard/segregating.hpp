// Purpose: small blocks from one resource, large ones from another.
//
//   mallard::multipool_resource nodes;
//   mallard::heap_resource arrays;
//   mallard::segregating_resource by_size(512, &nodes, &arrays);  // up to 512 bytes are small
//   std::pmr::unordered_map<int, int> index(&by_size);
//   index[1] = 2;
//
// Complexity and thread-safety: as the two resources; it has no state of its own that changes.
//
// Source of the idea: Alexandrescu's Segregator.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/bindable.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/allocate_from.hpp"
#include "mallard/detail/resources/by_base.hpp"

namespace mallard::inline v1 {

// Only the size decides, so deallocation needs no search.
template <bindable_resource Small, bindable_resource Large = std::pmr::memory_resource>
class segregating_resource final : public detail::by_base<segregating_resource<Small, Large>> {
 public:
  // Blocks of up to `largest_small_bytes` bytes are small. Both must outlive the resource.
  segregating_resource(std::size_t largest_small_bytes, Small* small, Large* large) noexcept
      : largest_small_bytes_(largest_small_bytes < detail::largest_object_bytes
                                 ? largest_small_bytes
                                 : detail::largest_object_bytes),
        small_(small),
        large_(large) {}
  segregating_resource(const segregating_resource&) = delete;
  segregating_resource& operator=(const segregating_resource&) = delete;

  // Effects and errors: those of the resource that the size selects; std::bad_alloc for sizes
  // beyond any object.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    return is_small(bytes) ? small_->allocate(bytes, alignment)
                           : detail::allocate_from(*large_, bytes, alignment);
  }
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept
    requires requires(Small& s, Large& l) {
      s.try_allocate(bytes, alignment);
      l.try_allocate(bytes, alignment);
    }
  {
    return is_small(bytes) ? small_->try_allocate(bytes, alignment)
                           : large_->try_allocate(bytes, alignment);
  }
  MALLARD_ALWAYS_INLINE void deallocate(
      void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    if (is_small(bytes)) return small_->deallocate(p, bytes, alignment);
    large_->deallocate(p, bytes, alignment);
  }

  // Returns: whether the byte at `p` is in memory that one of the two allocates from.
  bool owns(const void* p) const noexcept
    requires requires(const Small& s, const Large& l) { s.owns(p) || l.owns(p); }
  {
    return small_->owns(p) || large_->owns(p);
  }

  std::size_t largest_small_bytes() const noexcept { return largest_small_bytes_; }
  Small* small() const noexcept { return small_; }
  Large* large() const noexcept { return large_; }

 private:
  bool is_small(std::size_t bytes) const noexcept { return bytes <= largest_small_bytes_; }

  std::size_t largest_small_bytes_;
  Small* small_;
  Large* large_;
};

}  // namespace mallard::inline v1
