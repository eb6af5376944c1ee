// Purpose: what operator new takes from the C++ runtime. In the static library it asks for that in
// plain words, which brings the runtime in if it is linked statically too: a program that has the
// operator in it is a C++ program.
#pragma once

#include <new>

namespace mallard::inline v1::detail {

inline std::new_handler new_handler_of_runtime() noexcept {
  return std::get_new_handler();
}

[[noreturn]] inline void throw_bad_alloc() {
  throw std::bad_alloc();
}

}  // namespace mallard::inline v1::detail
