// Purpose: the parts of the C++ runtime that operator new needs. The static library refers to them
// directly, which brings the runtime in if it is linked statically too: a program that contains the
// operator is a C++ program.
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
