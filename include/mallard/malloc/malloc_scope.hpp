// Purpose: all that a thread allocates in a scope from a heap of its own, in programs whose
// containers take no allocator.
//
//   #include <mallard/malloc/malloc_scope.hpp>
//   {
//     const mallard::malloc_scope scope;
//     const document d = parse(text);   // malloc, new, calloc, realloc: from the scope's heap
//   }                                   // nothing of it lives: its memory goes at once
//
// A block that lives longer stays as it is: it is freed like any block, by any thread, and its
// memory goes as it goes. With a heap of the program's own several scopes share one, and what
// survives them all can be given up at once by mallard_heap_destroy. Link with mallard::malloc or
// mallard::malloc_static.
//
// Thread-safety: a scope is its thread's alone; other threads allocate as before. It has to end on
// the thread that it began on, so a coroutine that may go on elsewhere must not suspend in it.
#pragma once

#include <cstddef>

#include "mallard/malloc/malloc.h"

namespace mallard::inline v1 {

class malloc_scope {
 public:
  // Effects: opens a scope of the heap; without one, of a new heap that ends with its last block.
  // When there is no memory for it, all stays as it is.
  explicit malloc_scope(mallard_heap* heap = nullptr) noexcept
      : scope_(mallard_scope_begin(heap)) {}
  malloc_scope(const malloc_scope&) = delete;
  malloc_scope& operator=(const malloc_scope&) = delete;
  ~malloc_scope() { mallard_scope_end(scope_); }

  // Returns how many blocks of the heap are in use now; after the end, how many were in use then.
  std::size_t survivors() const noexcept {
    return scope_ == nullptr ? survivors_ : mallard_scope_survivors(scope_);
  }

  // Requires that scopes which were opened after it have ended. Effects: ends the scope before its
  // time. Returns the number of survivors.
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
