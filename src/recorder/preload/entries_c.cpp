#include "recorder/preload/hook.hpp"

using mallard::recorder::hook;

// What needs that name comes after it.
#include "preload/entries_c.hpp"
