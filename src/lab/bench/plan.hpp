// Makes a plan from a request: the places of a bench, and the contenders at each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/bench.hpp"
#include "lab/measuring/contender.hpp"
#include "lab/measuring/place.hpp"

namespace mallard::lab {

// The user's choices, by axis name.
struct bench_request {
  std::map<std::string, std::string, std::less<>> texts = {};
  bool quick = false;
  std::optional<std::string> scale = {};
  std::uint64_t seed = 1;
};

struct planned_place {
  place all;  // everything that a kernel gets: all axes, and the seed
  place key;  // distinguishes cells of the bench
};

struct bench_plan {
  const bench* what = nullptr;
  std::vector<planned_place> places;
  std::vector<contender> contenders;
  unsigned repetitions = 1;
  std::uint64_t seed = 1;
  std::uint64_t memory_limit = 0;  // bytes of address space for a measuring process; 0: unlimited
  double timeout_seconds = 300;
  std::filesystem::path program = {};  // to execute: its main() asks is_measuring_process()
};

// All combinations of the axes' values, the first axis slowest. Throws usage_error.
std::vector<planned_place> make_places(const bench& what, const bench_request& asked);

// The parameters that all cells of a run share and their keys omit. Runs that differ in them have
// measured different things.
place common_parameters(const bench& what, const bench_request& asked,
                        const std::vector<planned_place>& places);

// Throws usage_error if no contender has a kernel at any place.
void check_any_kernel(const bench_plan& plan);

// Returns: at least 1.
std::uint64_t scaled(std::uint64_t count, double scale);

// Each column with each heap; AS1 and the like only once, whatever the libraries.
std::vector<contender> make_contenders(const std::vector<contender>& columns,
                                       const std::vector<std::string>& heaps);

}  // namespace mallard::lab
