#include "route/preload/hook.hpp"

using mallard::route::hook;

// What needs that name comes after it.
#include "preload/entries_modules.hpp"
