#include "cli/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "cli/cli.hpp"
#include "cli/document.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/progress_bar.hpp"
#include "cli/usage_error.hpp"
#include "lab/measuring/build.hpp"
#include "lab/measuring/machine.hpp"
#include "lab/measuring/malloc_library.hpp"
#include "lab/measuring/peers.hpp"

namespace mallard::cli {
namespace {

std::filesystem::path default_file(const lab::run_info& run) {
  std::string name = run.date;
  std::erase(name, ':');
  std::error_code problem;
  std::filesystem::create_directories("results", problem);
  if (problem) {
    throw std::runtime_error(fmt::format(
        "results: this folder for result files cannot be made in {} ({}); name a file with "
        "--json",
        std::filesystem::current_path().string(), problem.message()));
  }
  return std::filesystem::path("results") / fmt::format("{}-{}.jsonl", run.bench, name);
}

}  // namespace

lab::run_info describe_run(std::string_view bench, const std::string& command_line,
                           const std::vector<std::string>& peers) {
  lab::run_info run;
  run.version = lab::mallard_version();
  run.bench = bench;
  run.command = command_line;
  run.date = lab::utc_now();
  run.machine = lab::this_machine();
  run.build = lab::this_build();
  run.mode = "fair";
  run.malloc = lab::malloc_name();
  for (const auto& peer : lab::available_peers()) {
    if (std::find(peers.begin(), peers.end(), peer.name) != peers.end()) run.peers.push_back(peer);
  }
  run.skipped = lab::missing_peers();
  return run;
}

result_writer open_results(const file_choice& choice, const lab::run_info& run) {
  if (choice.json) need_file(*choice.json, "a result");
  const bool resumes = choice.resume.value_or(false);
  if (resumes && !choice.json) {
    throw usage_error("--resume needs the file to continue: --json FILE");
  }
  const auto policy = resumes         ? existing_file::resume
                      : choice.force  ? existing_file::replace
                      : choice.resume ? existing_file::refuse_or_resume
                                      : existing_file::refuse;
  return {choice.json ? std::filesystem::path(*choice.json) : default_file(run), run, policy};
}

void warn_of_run(const lab::run_info& run) {
  for (const std::string& warning : lab::build_warnings()) {
    fmt::print(stderr, "mallard: warning: {}: these figures are not worth quoting\n", warning);
  }
  for (const lab::skipped_peer& peer : run.skipped) {
    fmt::print(stderr, "mallard: peer {} is skipped: {}\n", peer.peer, peer.reason);
  }
  if (run.mode == "paper") {
    fmt::print(stderr,
               "mallard: paper mode repeats the original's choices, unfair ones included "
               "({})\n",
               document("method.md"));
  }
}

lab::bench_end measure_into(result_writer& writer, std::vector<lab::cell_result>& cells,
                            const std::function<lab::bench_end(const lab::bench_events&)>& run) {
  const interrupt_guard guard;
  progress_bar bar;
  return run({.cell =
                  [&](const lab::cell_result& cell) {
                    writer.write(cell);
                    cells.push_back(cell);
                  },
              .step = [&](const lab::progress& now) { bar.show(now); },
              .interrupted = was_interrupted});
}

int tell_interrupted(const result_writer& writer) {
  fmt::print(
      stderr,
      "mallard: interrupted; the results so far are in {0}. To continue, repeat the command with "
      "--json {0} --resume\n",
      writer.path().string());
  return interrupted;
}

std::string main_peer(const lab::run_info& run) {
  return run.peers.empty() ? "mallard" : run.peers.front().name;
}

void tell_results(const lab::run_info& run, const std::string& file) {
  fmt::print("\nResults: {}\nTo measure again: {}\n", file, run.command);
  for (std::size_t i = 1; i < run.peers.size(); ++i) {
    fmt::print("The same tables for {0}: mallard show {1} --peer {0}\n", run.peers[i].name, file);
  }
  fmt::print("As a page: mallard report {} -o report.html\n", file);
}

}  // namespace mallard::cli
