// A program with the static malloc and the library, which is compiled with exceptions: what both
// are made of must not be mixed.
#include <cstdio>
#include <memory_resource>
#include <new>

#include "mallard/adaptive_pool.hpp"

namespace {

class exhausted_soon final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (left_-- <= 0) throw std::bad_alloc();
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  int left_ = 3;
};

}  // namespace

int main() {
  exhausted_soon upstream;
  mallard::adaptive_pool_resource pool({.block_bytes = 24, .alignment = 8}, &upstream);
  try {
    static_cast<void>(pool.allocate_many(100'000, 24, 8));
    std::puts("nothing was thrown");
    return 1;
  } catch (const std::bad_alloc&) {
  }
  const std::size_t lost = pool.stats().in_use_blocks;
  if (lost != 0) std::printf("blocks lost: %zu\n", lost);
  return lost == 0 ? 0 : 1;
}
