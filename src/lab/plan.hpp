// What a run of Benchmark I is to measure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/kernels/work.hpp"
#include "lab/strategies.hpp"
#include "lab/structures.hpp"

namespace mallard::lab {

inline constexpr int min_size = 4;  // log2 of the outer container
inline constexpr int max_size = 20;

// A column of the tables: a strategy with the resources of one library.
struct column {
  const strategy* how;
  std::string peer;
};

struct density_plan {
  std::vector<const structure*> structures;
  std::vector<int> sizes;
  std::vector<column> columns;
  std::vector<std::string> heaps;
  double scale = 0;
  unsigned repetitions = 0;
  mode choices = mode::fair;
  std::uint64_t seed = 1;
  std::uint64_t memory_limit = 0;
  double timeout_seconds = 300;

  std::uint64_t leaves() const;
  std::size_t cells() const;
};

// Every strategy with every peer that has it. AS1 is there once, as "global", whatever the peers.
std::vector<column> make_columns(std::span<const strategy* const> strategies,
                                 std::span<const std::string> peers);

// Leaves of one container.
std::uint64_t leaves_per_run(const structure& ds, int size);

// The caller's buffer: generously what one run needs with any of the resources, at most 1 GiB.
std::uint64_t buffer_bytes(const structure& ds, int size);
inline constexpr std::uint64_t max_buffer_bytes = 1ULL << 30;

}  // namespace mallard::lab
