#include "recorder/preload/hook.hpp"

using mallard::recorder::hook;

// Must come last: it needs the name above.
#include "preload/entries_modules.hpp"
