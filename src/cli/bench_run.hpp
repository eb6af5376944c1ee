// A bench from its options to its result file and tables: of this program, or made while it runs.
#pragma once

#include "cli/bench_options.hpp"
#include "cli/context.hpp"
#include "lab/bench/bench.hpp"

namespace mallard::cli {

// Measures, writes the result file, prints tables and what can be done with the results. Gives the
// exit status. Throws usage_error, or std::runtime_error as result_writer does.
int run_bench(const lab::bench& what, const bench_options& options, const context& shared);

}  // namespace mallard::cli
