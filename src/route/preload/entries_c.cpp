#include "route/preload/hook.hpp"

using mallard::route::hook;

// This comes last, for it needs that name.
#include "preload/entries_c.hpp"
