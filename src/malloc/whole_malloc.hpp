// Purpose: whoever links any function of the malloc gets `malloc` with it. The linker takes from an
// archive only the objects that are named, and two mallocs in a process free each other's blocks.
#pragma once

#include <stdlib.h>

#include <cstddef>

namespace mallard::inline v1::detail {

[[gnu::used]] inline void* (*const named_malloc)(std::size_t) = &malloc;

}  // namespace mallard::inline v1::detail
