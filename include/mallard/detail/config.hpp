// Purpose: the few attributes every other header needs: visibility, hints, the assertion.
#pragma once

#include <cassert>

#define MALLARD_API [[gnu::visibility("default")]]
#define MALLARD_ALWAYS_INLINE [[gnu::always_inline]] inline
#define MALLARD_COLD [[gnu::cold, gnu::noinline]]

// Preconditions are checked in builds without NDEBUG and cost nothing in the others.
#define MALLARD_ASSERT(condition) assert(condition)
