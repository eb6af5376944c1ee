// Purpose: a heap of its own for all that a thread allocates in a scope, in programs whose
// containers take no allocator.
//
//   #include <mallard/malloc/malloc_scope.hpp>
//   {
//     const mallard::malloc_scope scope;
//     const document d = parse(text);   // malloc, new, calloc, realloc: from the scope's heap
//   }                                   // no block is left: its memory is freed at once
//
// A block that lives longer stays valid. Any thread frees it like any block, and its memory with
// it. Several scopes may share a heap of the program's own; mallard_heap_destroy then frees at once
// what survives them all, also what the C library keeps from inside, as the buffer of stdout. Link
// with mallard::malloc or mallard::malloc_static.
//
// Thread-safety: a scope belongs to its thread; other threads allocate as before. It must end on
// the thread that it began on, so a coroutine that may go on elsewhere must not suspend in it.
#pragma once

#include <cstddef>

#include "mallard/malloc/malloc.h"

namespace mallard::inline v1 {

class malloc_scope {
 public:
  // Effects: opens a scope of `heap`; if that is null, of a new heap that ends with its last block.
  // If there is no memory for it, all stays as it is.
  explicit malloc_scope(mallard_heap* heap = nullptr) noexcept
      : scope_(mallard_scope_begin(heap)) {}
  malloc_scope(const malloc_scope&) = delete;
  malloc_scope& operator=(const malloc_scope&) = delete;
  ~malloc_scope() { mallard_scope_end(scope_); }

  // Returns: the number of blocks of the heap in use now; after the end, of those in use then.
  std::size_t survivors() const noexcept {
    return scope_ == nullptr ? survivors_ : mallard_scope_survivors(scope_);
  }

  // Requires: scopes opened after it have ended. Effects: ends the scope early. Returns the number
  // of survivors.
  std::size_t end() noexcept {
    if (scope_ != nullptr) survivors_ = mallard_scope_end(scope_);
    scope_ = nullptr;
    return survivors_;
  }

 private:
  mallard_scope* scope_;
  std::size_t survivors_ = 0;
};

}  // namespace mallard::inline v1
