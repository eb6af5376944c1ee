// Purpose: memory for the duration of a function: nested scopes on one arena per thread.
//
//   mallard::scratch_scope scratch;
//   std::pmr::vector<int> queue(&scratch);   // or bound by type: allocator<int, scratch_scope>
//   queue.resize(1000);
//   {
//     mallard::scratch_scope nested;         // as a function has it that is called here
//     std::pmr::string text(100, ' ', &nested);
//   }                                        // frees the text, not the queue
//   std::span<int> copy = mallard::copy_span(scratch, queue);
//
// Complexity: as monotonic_resource; O(1) to begin a nested scope, O(chunks taken since) to end it.
// Thread-safety: a scope belongs to the thread that began it.
//
// Only the innermost scope of a thread allocates: the end of that scope would free what an outer
// one allocates meanwhile. Builds with assertions check that. So allocate results from a resource
// that the caller passes, never from the caller's scratch.
//
// Source of the idea: the scratch arenas of RAD's codebases (Fleury), Odin's temporary allocator.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>

#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/detail/resources/created_objects.hpp"
#include "mallard/monotonic.hpp"

namespace mallard::inline v1 {

class MALLARD_API scratch_scope;

namespace detail {

// The calling thread's innermost scope; null when there is none.
MALLARD_API scratch_scope*& innermost_scratch() noexcept;

}  // namespace detail

// The outermost scope holds the arena. Its chunks come from the page source and return there, where
// the thread's cache keeps some for its next scope.
class scratch_scope final : public detail::by_base<scratch_scope> {
 public:
  static constexpr bool deallocate_is_noop = true;
  static constexpr std::size_t first_chunk_bytes = std::size_t{16} << 10;

  scratch_scope() noexcept : innermost_(detail::innermost_scratch()), outer_(innermost_) {
    if (outer_ == nullptr) {
      arena_ = ::new (&storage_) monotonic_resource(first_chunk_bytes);
    } else {
      arena_ = outer_->arena_;
    }
    mark_ = arena_->mark();
    innermost_ = this;
  }
  scratch_scope(const scratch_scope&) = delete;
  scratch_scope& operator=(const scratch_scope&) = delete;
  // Effects: frees what was allocated in the scope, after destroying what `create` made there.
  MALLARD_BY_LEVEL ~scratch_scope() override {
    MALLARD_ASSERT(innermost_ == this && "scratch scopes end in the opposite order");
    if (outer_ == nullptr) {
      arena_->~monotonic_resource();
    } else {
      arena_->rewind(mark_);
    }
    innermost_ = outer_;  // until here destructors may use the scope
  }

  // Effects and errors: as monotonic_resource.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    MALLARD_ASSERT(innermost_ == this && "an inner scratch scope has not ended");
    return arena_->allocate(bytes, alignment);
  }
  MALLARD_BY_LEVEL void* try_allocate(std::size_t bytes,
                                      std::size_t alignment = alignof(std::max_align_t)) noexcept {
    MALLARD_ASSERT(innermost_ == this && "an inner scratch scope has not ended");
    return arena_->try_allocate(bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept {
    arena_->deallocate(p, bytes, alignment);
  }

  // Effects: frees what was allocated in the scope so far and keeps the memory for reuse.
  void rewind() noexcept { arena_->rewind(mark_); }

  // For `create`: the end of the scope destroys the object of `record`.
  void destroy_with_memory(detail::created_object& record) noexcept {
    arena_->destroy_with_memory(record);
  }

  // Figures of the thread's arena, including what outer scopes have allocated.
  monotonic_stats stats() const noexcept { return arena_->stats(); }

 private:
  scratch_scope*& innermost_;
  scratch_scope* const outer_;
  monotonic_resource* arena_;
  monotonic_resource::mark_type mark_;
  alignas(monotonic_resource) std::byte storage_[sizeof(monotonic_resource)];
};

}  // namespace mallard::inline v1
