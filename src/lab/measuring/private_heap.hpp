// After a fork, parent and child share the pages of the heap until one of them writes to them.
#pragma once

#include "lab/measuring/malloc_library.hpp"

namespace mallard::lab {

// Gives this process its own copy of every page of the heap now, so that the copying does not
// happen inside the clock. Does nothing where the system does not show where the heap is. A malloc
// that was preloaded may have its heap `anywhere`: all pages in use are copied then.
void make_heap_private(bool anywhere = malloc_is_replaced());

}  // namespace mallard::lab
