// From what was asked for to what is measured: places of a bench, and who is measured there.
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

// The user's choices, by the names of the axes.
struct bench_request {
  std::map<std::string, std::string, std::less<>> texts = {};
  bool quick = false;
  std::optional<std::string> scale = {};
  std::uint64_t seed = 1;
};

struct planned_place {
  place all;  // everything that a kernel is told: of all axes, and the seed
  place key;  // what tells cells of the bench apart
};

struct bench_plan {
  const bench* what = nullptr;
  std::vector<planned_place> places;
  std::vector<contender> contenders;
  unsigned repetitions = 1;
  std::uint64_t seed = 1;
  std::uint64_t memory_limit = 0;  // bytes of address space of a measuring process; 0: none
  double timeout_seconds = 300;
  std::filesystem::path program = {};  // what is executed: its main() asks is_measuring_process()
};

// Every value of each axis with every value of the others, the first axis slowest. Throws
// usage_error.
std::vector<planned_place> make_places(const bench& what, const bench_request& asked);

// Returns the parameters that all cells of a run share and their keys leave out: runs that differ
// in them have measured different things.
place common_parameters(const bench& what, const bench_request& asked,
                        const std::vector<planned_place>& places);

// Throws usage_error when no contender has a kernel at any place.
void check_any_kernel(const bench_plan& plan);

// At least one.
std::uint64_t scaled(std::uint64_t count, double scale);

// Each contender with each heap; AS1 and the like once, whatever the libraries.
std::vector<contender> make_contenders(const std::vector<contender>& columns,
                                       const std::vector<std::string>& heaps);

}  // namespace mallard::lab
