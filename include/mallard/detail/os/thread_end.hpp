// Purpose: a call at the end of threads that does not keep its library from being unloaded before,
// unlike the destructor of a thread_local.
#pragma once

#include <pthread.h>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail::os {

class thread_end_calls {
 public:
  explicit thread_end_calls(void (*what)()) noexcept : what_(what) {
    made_ = pthread_key_create(
                &key_, [](void* self) { static_cast<thread_end_calls*>(self)->what_(); }) == 0;
  }
  thread_end_calls(const thread_end_calls&) = delete;
  thread_end_calls& operator=(const thread_end_calls&) = delete;
  // Afterwards no thread calls.
  ~thread_end_calls() {
    if (made_) pthread_key_delete(key_);
  }

  // The calling thread calls once, at its end.
  void of_this_thread() noexcept {
    if (made_) pthread_setspecific(key_, this);
  }

 private:
  void (*what_)();
  pthread_key_t key_{};
  bool made_ = false;
};

}  // namespace mallard::inline v1::detail::os
