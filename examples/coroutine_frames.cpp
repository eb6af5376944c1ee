// Generators whose frames lie side by side in a pool, which has them back when they end.
#include <coroutine>
#include <cstdio>
#include <utility>

#include "mallard/frame_from.hpp"
#include "mallard/multipool.hpp"

namespace {

class numbers {
 public:
  struct promise_type : mallard::frame_from<mallard::multipool_resource> {
    numbers get_return_object() {
      return numbers(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int value) noexcept {
      current = value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
    int current = 0;
  };

  numbers(numbers&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  numbers& operator=(numbers&&) = delete;
  ~numbers() {
    if (handle_) handle_.destroy();
  }
  bool done() const { return handle_.done(); }
  int current() const { return handle_.promise().current; }
  void next() const { handle_.resume(); }

 private:
  explicit numbers(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// The first argument says where the frame comes from.
numbers up_to(mallard::multipool_resource&, int end) {
  for (int i = 1; i <= end; ++i) co_yield i;
}

}  // namespace

int main() {
  mallard::multipool_resource pool;
  int sum = 0;
  for (int end = 1; end <= 100; ++end) {
    for (const numbers all = up_to(pool, end); !all.done(); all.next()) sum += all.current();
  }
  std::printf("%d added up, %zu bytes of frames in use\n", sum, pool.stats().in_use_bytes);
  return sum == 171700 && pool.stats().in_use_bytes == 0 ? 0 : 1;
}
