// Purpose: hooks in a program that runs already: the slots through which its modules call functions
// of other modules (the global offset table) get our functions in place of those of the same names.
//
//   hook_modules()   all modules that are loaded, but for the dynamic linker and ourselves; once
//   more
//                    when modules were loaded
//   unhook_modules() what was there before, in the modules that are still loaded
//
// A slot is changed only if it holds the function that `next` calls, or still leads to the dynamic
// linker, which would put it there: so a block never goes to another malloc than it came from.
// Pointers in a program's own data are left alone: programs compare them.
#pragma once

#include <cstdint>

namespace mallard::preload {

// Effects: looks up the functions of the program, as find_next_functions() does for a library that
// is preloaded, but past our own names. Returns: whether there is a malloc.
bool find_functions_of_program() noexcept;

// All of these wait for nothing but the dynamic linker's lock of the list of modules. Returns:
// false when another thread is at it just now, and nothing was done.
bool hook_modules() noexcept;
bool unhook_modules() noexcept;
// After modules were unloaded: what comes to their place is another one.
void forget_unloaded_modules() noexcept;

}  // namespace mallard::preload
