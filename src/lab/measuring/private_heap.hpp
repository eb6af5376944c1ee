// After a fork, parent and child share the pages of the heap until one of them writes to them.
#pragma once

#include "lab/measuring/malloc_library.hpp"

namespace mallard::lab {

// Gives this process its own copy of every page of the heap now, so that the copying is not timed.
// Does nothing if the system does not show where the heap is. A preloaded malloc may have its heap
// `anywhere`: then all pages in use are copied.
void make_heap_private(bool anywhere = malloc_is_replaced());

}  // namespace mallard::lab
