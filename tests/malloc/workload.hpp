// Work that the tests of processes and threads keep a malloc busy with, and how they watch it.
#pragma once

#include <array>
#include <cstdlib>
#include <cstring>

#include "support/child.hpp"
#include "support/threads.hpp"

namespace malloc_test {

using mallard_test::exit_code_of;

inline constexpr std::array<std::size_t, 7> sizes = {16,     100,     900,      5'000,
                                                     40'000, 200'000, 9'000'000};

inline void allocate_and_free(int rounds) {
  std::array<void*, 40> blocks{};
  for (int i = 0; i < rounds; ++i) {
    for (std::size_t n = 0; n < blocks.size(); ++n) {
      blocks[n] = std::malloc(sizes[(n + static_cast<std::size_t>(i)) % (i % 8 == 0 ? 7 : 5)]);
      std::memset(blocks[n], 1, 16);
    }
    for (void* p : blocks) std::free(p);
  }
}

// Threads that allocate all the time, until the object goes.
class busy_threads : public mallard_test::busy_threads {
 public:
  explicit busy_threads(int count)
      : mallard_test::busy_threads(count, [] { allocate_and_free(1); }) {}
};

}  // namespace malloc_test
