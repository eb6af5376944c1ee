// The ground under every test: new and delete, made strict.
//
// A block is aligned as asked and never better, so nobody passes by luck. Requests beyond 1 GiB are
// refused politely: AddressSanitizer would end the program, and a machine should survive a test.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <new>

namespace mallard_test {

class strict_upstream final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t largest = std::size_t{1} << 30;

 private:
  // The block starts `alignment` bytes behind an address with many zeros, so its position in a page
  // is the same in every run.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > largest || alignment > largest) throw std::bad_alloc();
    void* const base = heap()->allocate(bytes + alignment, round_alignment(alignment));
    return static_cast<std::byte*>(base) + alignment;
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    heap()->deallocate(static_cast<std::byte*>(p) - alignment, bytes + alignment,
                       round_alignment(alignment));
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  static std::size_t round_alignment(std::size_t alignment) {
    return std::max<std::size_t>(2 * alignment, 4096);
  }
  static std::pmr::memory_resource* heap() { return std::pmr::new_delete_resource(); }
};

}  // namespace mallard_test
