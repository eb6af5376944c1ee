#include "live/preload/hook.hpp"

using mallard::live::hook;

// This comes last, for it needs that name.
#include "preload/entries_cpp.hpp"
