// Purpose: hooks in a running program. Its modules call functions of other modules through slots
// (the global offset table). These slots get our functions in place of those of the same names.
//
//   hook_modules()     all loaded modules but the dynamic linker and ourselves; call it again after
//                      modules were loaded
//   unhook_modules()   restores the slots of the modules that are still loaded
//
// A slot is changed only if it holds the function that `next` calls, or still leads to the dynamic
// linker, which would put that function there. So a block never goes to another malloc than its
// own. Pointers in a program's own data stay unchanged, because programs compare them.
#pragma once

#include <cstdint>

namespace mallard::preload {

// Effects: looks up the program's functions, as find_next_functions() does for a preloaded library,
// but skips our own names. Returns: whether there is a malloc.
bool find_functions_of_program() noexcept;

// These wait for nothing but the dynamic linker's lock of the list of modules. Returns: false, with
// no effect, if another thread is in one of them.
bool hook_modules() noexcept;
bool unhook_modules() noexcept;
// Call it after modules were unloaded: other modules may take their places.
void forget_unloaded_modules() noexcept;

}  // namespace mallard::preload
