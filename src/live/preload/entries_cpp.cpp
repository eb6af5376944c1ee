#include "live/preload/hook.hpp"

using mallard::live::hook;

// What needs that name comes after it.
#include "preload/entries_cpp.hpp"
