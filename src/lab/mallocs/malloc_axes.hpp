// Axes, measures and tables shared by the benches of mallocs.
#pragma once

#include <string>
#include <vector>

#include "lab/bench/bench.hpp"
#include "lab/mallocs/size_mix.hpp"

namespace mallard::lab::mallocs {

inline constexpr std::uint64_t most_objects = 4'000'000'000;

// --threads with the chapter's counts.
axis thread_counts(std::string quick = "1,2,4");

// The ends of a range of sizes.
axis smallest_size(std::string name, std::string usual);
axis largest_size(std::string name, std::string usual);

// Sizes by a distribution: --distribution, --min, --max, --step. The defaults are the chapter's.
std::vector<axis> size_axes();
// The mix of a place. Throws usage_error if it makes no sense.
size_mix sizes_at(const place& at);
// The mix of all sizes between two coordinates.
size_mix range_between(const place& at, const char* low, const char* high, bool log_uniform);

std::uint32_t bytes_at(const place& at, const char* name);
std::uint64_t count_at(const place& at, const char* name);
unsigned threads_at(const place& at, const char* name = "threads");

// A rough estimate in seconds for threads with equal work on the available processors.
double spread(unsigned threads, double seconds_of_one);

// Measures that most of these benches have.
measure_kind time_kind();
measure_kind resident_kind();
figure_kind resident_figure();

// A table of mallocs whose columns are numbers of threads.
table_kind by_threads();

}  // namespace mallard::lab::mallocs
