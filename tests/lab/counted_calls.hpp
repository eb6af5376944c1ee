// A counting malloc in another process leaves its counts here.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace mallard_test {

struct counted_calls {
  enum kind { malloc, calloc, realloc, free };

  std::array<std::atomic<std::int64_t>, 4> calls;  // of free those that freed something
  std::atomic<std::int64_t> bytes;                 // asked for
  std::atomic<std::int64_t> changes;               // calls that were of another kind than the last
  std::atomic<int> last;
};

}  // namespace mallard_test
