// mallard export
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/csv.hpp"
#include "cli/newest_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/place_options.hpp"
#include "cli/results_input.hpp"
#include "cli/trace_export.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

using json = nlohmann::ordered_json;

struct export_options {
  std::filesystem::path file;
  std::filesystem::path out;
  bool google_benchmark = false;
  bool csv = false;
  std::string to;
  const profile::weight_kind* weight = nullptr;
};

json context_of(const lab::run_info& run) {
  return {{"date", run.date},
          {"host_name", ""},
          {"executable", run.command},
          {"num_cpus", run.machine.cores},
          {"mhz_per_cpu", 0},
          {"cpu_scaling_enabled", false},
          {"caches", json::array()},
          {"load_avg", json::array()},
          {"library_build_type", run.build.assertions ? "debug" : "release"}};
}

// One entry per repetition and one for the median, as Google Benchmark writes them, of each measure
// in seconds.
void add_entries(json& list, const lab::cell_result& cell) {
  std::string name = cell.bench;
  for (const auto& entry : cell.at) name += fmt::format("/{}", lab::to_string(entry.second));
  name +=
      fmt::format("/{}/{}/{}", lab::column_name(cell.strategy, cell.peer), cell.heap, cell.malloc);
  if (!cell.ok()) {
    list.push_back({{"name", name},
                    {"run_name", name},
                    {"run_type", "iteration"},
                    {"error_occurred", true},
                    {"error_message", cell.error}});
    return;
  }
  for (const auto& [measure, one] : cell.measures) {
    if (one.unit != "s") continue;
    const std::string full = fmt::format("{}/{}", name, measure);
    json entry = {{"name", full}, {"run_name", full}, {"run_type", "iteration"}};
    const auto add = [&](double seconds) {
      entry["iterations"] = 1;
      entry["real_time"] = seconds * 1e9;
      entry["cpu_time"] = seconds * 1e9;
      entry["time_unit"] = "ns";
      list.push_back(entry);
    };
    entry["repetitions"] = one.samples.size();
    entry["threads"] = 1;
    for (std::size_t i = 0; i < one.samples.size(); ++i) {
      entry["repetition_index"] = i;
      add(one.samples[i]);
    }
    entry.erase("repetition_index");
    entry["name"] = full + "_median";
    entry["run_type"] = "aggregate";
    entry["aggregate_name"] = "median";
    add(one.median);
  }
}

int convert(export_options options) {
  if (options.file.empty()) {
    if (options.to.empty()) throw usage_error("export needs a file, or --to for the newest trace");
    options.file = trace_or_newest("");
  }
  if (is_profile(options.file)) {
    if (options.to.empty()) {
      throw usage_error(
          fmt::format("export of a trace needs --to {}", fmt::join(trace_formats, ", ")));
    }
    return export_profile(options.file, options.to, *options.weight, options.out);
  }
  if (!options.to.empty() && std::filesystem::exists(options.file)) {
    throw std::runtime_error(
        fmt::format("{}: is not a trace, and --to is for traces", options.file.string()));
  }
  const lab::result_file results = read_results_or_refuse(options.file);
  if (options.google_benchmark == options.csv) {
    throw usage_error("export needs one format: --google-benchmark or --csv");
  }
  if (options.csv) {
    write_text(options.out, to_csv(results));
    say(options.out, "{}: {}\n", base::counted(results.cells.size(), "cell"), options.out.string());
    return success;
  }
  json benchmarks = json::array();
  for (const auto& cell : results.cells) add_entries(benchmarks, cell);
  const json whole = {{"context", context_of(results.run)}, {"benchmarks", benchmarks}};
  write_text(options.out, whole.dump(1) + '\n');
  say(options.out, "{} entries: {}\n", benchmarks.size(), options.out.string());
  return success;
}

}  // namespace

void add_export_command(command_parser app) {
  const command_parser command =
      app.add_command("export", "Convert a result file or a trace for other tools");
  const auto options = std::make_shared<export_options>();
  command.add_option(
      "RESULT", options->file,
      "Result file; or, with --to, a trace (default: the newest here), heaptrack's file, DHAT's "
      "JSON or a heap profile of pprof's, tcmalloc's or jemalloc's");
  command.add_flag("--google-benchmark", options->google_benchmark,
                   "Write Google Benchmark's JSON");
  command.add_flag("--csv", options->csv, "Write CSV: a line per cell and measure");
  command.add_choice("--to", options->to, trace_formats, "Format for a trace");
  add_weight_option(command, options->weight, "collapsed stacks");
  command.add_new_file("-o,--output", options->out, "Write the new file here").required();
  command.runs([options] { return convert(*options); });
}

}  // namespace mallard::cli
