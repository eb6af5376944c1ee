// Purpose: block sizes as programs have them: six of ten are nodes of 40 bytes, three strings of up
// to 200, one an array of up to 16 KiB, small ones more often.
#pragma once

#include <cstddef>
#include <random>

class mixed_sizes {
 public:
  std::size_t operator()() {
    const std::size_t kind = random(10);
    if (kind < 6) return 40;
    if (kind < 9) return 17 + random(184);
    return 64 + random(std::size_t{64} << random(9));
  }
  // Below `end`, the same in every run.
  std::size_t random(std::size_t end) { return engine_() % end; }

 private:
  std::mt19937 engine_{1};
};
