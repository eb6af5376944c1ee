// What a bench tells while it runs, and how it ends; the same for all benches.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace mallard::lab {

struct progress {
  std::size_t done = 0;  // repetitions
  std::size_t total = 0;
  double seconds_left = 0;
  std::string_view doing;
};

// `interrupted` is asked between and during repetitions.
template <class Cell>
struct bench_events {
  std::function<void(const Cell&)> cell;
  std::function<void(const progress&)> step;
  bool (*interrupted)() = nullptr;
};

enum class bench_end { finished, interrupted };

}  // namespace mallard::lab
