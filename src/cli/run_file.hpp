// First steps of every bench: says the run and its place, opens the result file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/result_writer.hpp"
#include "lab/bench/run.hpp"
#include "lab/results/results.hpp"

namespace mallard::cli {

// The first line of a result file. `peers`: the libraries whose resources are measured.
lab::run_info describe_run(std::string_view bench, const std::string& command_line,
                           const std::vector<std::string>& peers);

struct file_choice {
  std::optional<std::string> json;  // empty: a new file in the folder "results"
  std::optional<bool> resume;       // not set: the command has no such option
  bool force = false;
};

// Throws usage_error, or std::runtime_error as result_writer does.
result_writer open_results(const file_choice& choice, const lab::run_info& run);

// Tells the user what must be known of the figures before they are taken.
void warn_of_run(const lab::run_info& run);

// Effects: calls `run` with events that show its progress, and that write each cell and add it to
// `cells`. An interrupt ends it. Returns: the result of `run`.
lab::bench_end measure_into(result_writer& writer, std::vector<lab::cell_result>& cells,
                            const std::function<lab::bench_end(const lab::bench_events&)>& run);

// Says that all results so far are kept and how to go on. Returns the exit status.
int tell_interrupted(const result_writer& writer);

// The library whose resources the tables show: the first one.
std::string main_peer(const lab::run_info& run);

// Says the place of the results and the commands that read them.
void tell_results(const lab::run_info& run, const std::string& file);

}  // namespace mallard::cli
