#include "live/preload/hook.hpp"

using mallard::live::hook;

// Must come last: it needs the name above.
#include "preload/entries_cpp.hpp"
