// Purpose: the functions from which the entry points of C and C++ get blocks. The sticky build's
// add a record to each.
#pragma once

#ifdef MALLARD_MALLOC_STICKY
#include "malloc/sticky/sticky_blocks.hpp"
#else
#include "malloc/plain/plain_blocks.hpp"
#endif
