// Purpose: the failures of headers, also for programs compiled without exceptions: there they call
// `std::terminate`, and so the handler given to `std::set_terminate`, instead of throwing.
#pragma once

#include <exception>
#include <new>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

[[noreturn]] MALLARD_COLD inline void fail_allocation() {
#ifdef __cpp_exceptions
  throw std::bad_alloc();
#else
  std::terminate();
#endif
}

// The bytes asked for do not fit into a std::size_t.
[[noreturn]] MALLARD_COLD inline void fail_array_length() {
#ifdef __cpp_exceptions
  throw std::bad_array_new_length();
#else
  std::terminate();
#endif
}

// Calls `undo` at the end of the scope unless `succeeded` was called: a `catch (...)` that also
// compiles without exceptions.
template <class Undo>
class [[nodiscard]] on_failure {
 public:
  explicit on_failure(Undo undo) : undo_(undo) {}
  on_failure(const on_failure&) = delete;
  on_failure& operator=(const on_failure&) = delete;
  ~on_failure() {
    if (!succeeded_) undo_();
  }
  void succeeded() noexcept { succeeded_ = true; }

 private:
  Undo undo_;
  bool succeeded_ = false;
};

}  // namespace mallard::inline v1::detail
