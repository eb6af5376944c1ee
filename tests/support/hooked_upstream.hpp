// An upstream that does what a test says before it serves, and around taking back.
#pragma once

#include <cstddef>
#include <functional>
#include <memory_resource>
#include <utility>

namespace mallard_test {

class hooked_upstream final : public std::pmr::memory_resource {
 public:
  explicit hooked_upstream(
      std::pmr::memory_resource* memory = std::pmr::new_delete_resource()) noexcept
      : memory_(memory) {}

  // Those that are set are called each time. The first may throw.
  std::function<void()> before_allocate;
  std::function<void()> before_deallocate;
  std::function<void()> after_deallocate;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (before_allocate) before_allocate();
    return memory_->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    if (before_deallocate) before_deallocate();
    memory_->deallocate(p, bytes, alignment);
    if (after_deallocate) after_deallocate();
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* memory_;
};

// Does the same as `act` at the first call, nothing at others.
template <class Act>
auto once(Act act) {
  return [act, is_done = false]() mutable {
    if (!std::exchange(is_done, true)) act();
  };
}

}  // namespace mallard_test
