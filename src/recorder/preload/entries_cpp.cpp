#include "recorder/preload/hook.hpp"

using mallard::recorder::hook;

// This comes last, for it needs that name.
#include "preload/entries_cpp.hpp"
