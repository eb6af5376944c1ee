// Purpose: the parts of the C++ runtime that operator new needs. The shared library has weak
// references to them: a program without that runtime need not load it.
#pragma once

#include <new>

#include "malloc/fatal.hpp"

// None of these is called before an exception is thrown, and that takes the runtime.
asm(".weak __gxx_personality_v0\n.weak __cxa_begin_catch\n.weak __cxa_end_catch\n"
    ".weak _ZSt9terminatev");

[[gnu::weak]] std::new_handler weak_new_handler() noexcept asm("_ZSt15get_new_handlerv");
[[noreturn, gnu::weak]] void weak_throw_bad_alloc() asm("_ZSt17__throw_bad_allocv");

namespace mallard::inline v1::detail {

inline std::new_handler new_handler_of_runtime() noexcept {
  return weak_new_handler != nullptr ? weak_new_handler() : nullptr;
}

[[noreturn]] inline void throw_bad_alloc() {
  if (weak_throw_bad_alloc != nullptr) weak_throw_bad_alloc();
  fatal("operator new has no memory, and no way to throw", nullptr);
}

}  // namespace mallard::inline v1::detail
