// The same containers over resources chosen at run time, bound by abstract base.
#include <cstdio>
#include <memory_resource>
#include <string>
#include <vector>

#include "mallard/mallard.hpp"

namespace {

std::size_t join(std::pmr::memory_resource& resource) {
  std::pmr::vector<std::pmr::string> parts(&resource);
  for (int i = 0; i < 100; ++i) parts.emplace_back("a part that is too long to be stored inside");
  std::size_t length = 0;
  for (const auto& part : parts) length += part.size();
  return length;
}

}  // namespace

int main() {
  mallard::buffered_resource<32 * 1024> on_the_stack;
  mallard::monotonic_resource arena;
  mallard::multipool_resource pool;
  mallard::multipool_resource pool_on_arena(&arena);
  std::size_t total = 0;
  for (std::pmr::memory_resource* resource :
       {static_cast<std::pmr::memory_resource*>(&on_the_stack),
        static_cast<std::pmr::memory_resource*>(&arena),
        static_cast<std::pmr::memory_resource*>(&pool),
        static_cast<std::pmr::memory_resource*>(&pool_on_arena)}) {
    total += join(*resource);
  }
  std::printf("%zu characters; the stack's buffer sufficed: %s\n", total,
              on_the_stack.stats().overflowed == 0 ? "yes" : "no");
  return total == 4u * 100u * 43u ? 0 : 1;
}
