// Resources made of resources: static memory first, then a pool; small and large blocks apart; a
// lock around one; a say when there is none.
#include <array>
#include <cstdio>
#include <memory_resource>
#include <thread>
#include <vector>

#include "mallard/failure_callback.hpp"
#include "mallard/fallback.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/segregating.hpp"
#include "mallard/synchronized.hpp"
#include "mallard/typed.hpp"

int main() {
  alignas(16) static std::byte fast[4096];
  mallard::monotonic_resource first(fast, std::pmr::null_memory_resource());
  mallard::multipool_resource second;
  mallard::fallback_resource both(&first, &second);
  using both_type =
      mallard::fallback_resource<mallard::monotonic_resource, mallard::multipool_resource>;
  mallard::typed::list<int, both_type> by_type(1000, 7, &both);
  std::printf("%zu nodes did not fit into the static memory\n", both.fallen_back());

  mallard::heap_resource arrays;
  mallard::segregating_resource by_size(512, &second, &arrays);
  std::pmr::vector<std::pmr::vector<int>> by_base(10, std::pmr::vector<int>(1000, 1, &by_size),
                                                  &by_size);

  mallard::synchronized<mallard::monotonic_resource> shared(64 * 1024);
  std::thread other([&] { std::pmr::vector<int> theirs(100, 1, &shared); });
  std::pmr::vector<int> mine(100, 1, &shared);
  other.join();

  std::size_t asked = 0;
  mallard::failure_callback_resource memory(
      [&](std::size_t bytes, std::size_t) {
        asked = bytes;  // a program would drop a cache and return true
        return false;
      },
      std::pmr::null_memory_resource());
  const bool refused = memory.try_allocate(100) == nullptr;
  return both.fallen_back() > 0 && refused && asked == 100 ? 0 : 1;
}
