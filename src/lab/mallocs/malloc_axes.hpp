// Axes, measures and tables that the benches of mallocs share.
#pragma once

#include <string>
#include <vector>

#include "lab/bench/bench.hpp"
#include "lab/mallocs/size_mix.hpp"

namespace mallard::lab::mallocs {

inline constexpr std::uint64_t most_objects = 4'000'000'000;

// --threads with the counts of the chapter.
axis thread_counts(std::string quick = "1,2,4");

// The ends of a range of sizes.
axis smallest_size(std::string name, std::string usual);
axis largest_size(std::string name, std::string usual);

// Sizes by a distribution: --distribution, --min, --max, --step. The chapter's are the defaults.
std::vector<axis> size_axes();
// The mix that a place says; throws usage_error when it makes no sense.
size_mix sizes_at(const place& at);
// The same, of every size between two coordinates.
size_mix range_between(const place& at, const char* low, const char* high, bool log_uniform);

std::uint32_t bytes_at(const place& at, const char* name);
std::uint64_t count_at(const place& at, const char* name);
unsigned threads_at(const place& at, const char* name = "threads");

// Rough seconds of threads that all do the same on the processors that there are.
double spread(unsigned threads, double seconds_of_one);

// The measures that most of them have.
measure_kind time_kind();
measure_kind resident_kind();
figure_kind resident_figure();

// A table of mallocs whose columns are numbers of threads.
table_kind by_threads();

}  // namespace mallard::lab::mallocs
