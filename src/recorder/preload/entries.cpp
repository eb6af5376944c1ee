#include "recorder/preload/hook.hpp"

using mallard::recorder::hook;

// Must come last: they need the name above.
#include "preload/entries_c.hpp"
#include "preload/entries_cpp.hpp"
#include "preload/entries_modules.hpp"
