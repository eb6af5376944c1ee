// A coroutine whose frames come from a resource by type, called without one.
#include <coroutine>

#include "mallard/frame_from.hpp"
#include "mallard/multipool.hpp"

struct task {
  struct promise_type : mallard::frame_from<mallard::multipool_resource> {
    task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

task tick(int) {
  co_return;
}

int main() {
  tick(1);
}
