// Purpose: a second resource for requests that the first has no memory for.
//
//   alignas(16) static std::byte fast[64 * 1024];
//   mallard::monotonic_resource first(fast, std::pmr::null_memory_resource());
//   mallard::multipool_resource second;
//   mallard::fallback_resource both(&first, &second);
//   std::pmr::vector<int> v(100'000, &both);  // does not fit into the first
//
// Complexity: allocate as the first, plus as the second if the first is full. deallocate as the
// first, plus the first's `owns` while blocks of the second are in use. Thread-safety: none; one
// thread at a time, for this resource and the two.
//
// Source of the idea: Alexandrescu's FallbackAllocator.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>

#include "mallard/bindable.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/allocate_from.hpp"
#include "mallard/detail/resources/by_base.hpp"

namespace mallard::inline v1 {

// The first has to know whether a block is its own.
template <class R>
concept owning_resource = bindable_resource<R> && requires(R& r, const R& c, void* p) {
  { r.try_allocate(std::size_t{}, std::size_t{}) } noexcept -> std::same_as<void*>;
  { c.owns(p) } noexcept -> std::same_as<bool>;
};

template <owning_resource First, bindable_resource Second = std::pmr::memory_resource>
class fallback_resource final : public detail::by_base<fallback_resource<First, Second>> {
 public:
  // Both must outlive the resource and the blocks that it allocates.
  fallback_resource(First* first, Second* second) noexcept : first_(first), second_(second) {}
  fallback_resource(const fallback_resource&) = delete;
  fallback_resource& operator=(const fallback_resource&) = delete;

  // Effects: allocates from the first, or from the second if the first has no memory.
  // Errors: what the second throws.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    if (void* const p = first_->try_allocate(bytes, alignment)) [[likely]] {
      return p;
    }
    void* const p = detail::allocate_from(*second_, bytes, alignment);
    ++fallen_back_;
    ++second_blocks_;
    return p;
  }
  // Effects: as `allocate`, but returns null instead of throwing.
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept
    requires requires(Second& r) { r.try_allocate(bytes, alignment); }
  {
    if (void* const p = first_->try_allocate(bytes, alignment)) return p;
    void* const p = second_->try_allocate(bytes, alignment);
    if (p == nullptr) return nullptr;
    ++fallen_back_;
    ++second_blocks_;
    return p;
  }

  // Effects: frees a block in the resource that it came from.
  MALLARD_ALWAYS_INLINE void deallocate(
      void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    if (second_blocks_ != 0 && !first_->owns(p)) [[unlikely]] {
      --second_blocks_;
      return second_->deallocate(p, bytes, alignment);
    }
    first_->deallocate(p, bytes, alignment);
  }

  // Returns: whether the byte at `p` is in memory that one of the two allocates from.
  bool owns(const void* p) const noexcept
    requires requires(const Second& r) { r.owns(p); }
  {
    return first_->owns(p) || second_->owns(p);
  }

  // Returns: how often the first had no memory so far, to judge its size by.
  std::size_t fallen_back() const noexcept { return fallen_back_; }
  First* first() const noexcept { return first_; }
  Second* second() const noexcept { return second_; }

 private:
  First* first_;
  Second* second_;
  std::size_t fallen_back_ = 0;
  std::size_t second_blocks_ = 0;  // in use
};

}  // namespace mallard::inline v1
