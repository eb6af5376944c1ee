// mallard export
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/csv.hpp"
#include "cli/results_input.hpp"
#include "cli/trace_export.hpp"
#include "cli/usage_error.hpp"
#include "lab/plan.hpp"

namespace mallard::cli {
namespace {

using json = nlohmann::ordered_json;

struct export_options {
  std::filesystem::path file;
  std::filesystem::path out;
  bool google_benchmark = false;
  bool csv = false;
  std::string to;
  std::string weight = "alloc_space";
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

// One entry per repetition and one for the median, as Google Benchmark writes them. An iteration is
// one run: building and dropping one container.
void add_entries(json& list, const lab::cell_result& cell) {
  const auto& key = cell.key;
  const std::string name = fmt::format("{}/{}/{}/{}/{}", cell.bench, key.ds, key.size,
                                       lab::column_name(key.strategy, key.peer), key.heap);
  json entry = {{"name", name}, {"run_name", name}, {"run_type", "iteration"}};
  if (!cell.ok()) {
    entry["error_occurred"] = true;
    entry["error_message"] = cell.error;
    list.push_back(entry);
    return;
  }
  const auto* ds = lab::find_structure(key.ds);
  const double leaves = ds ? static_cast<double>(lab::leaves_per_run(*ds, key.size)) : 1;
  const auto add = [&](double seconds) {
    const double nanoseconds = seconds * 1e9 * leaves / static_cast<double>(cell.leaves);
    entry["iterations"] = cell.runs;
    entry["real_time"] = nanoseconds;
    entry["cpu_time"] = nanoseconds;
    entry["time_unit"] = "ns";
    entry["items_per_second"] = leaves / (nanoseconds * 1e-9);
    list.push_back(entry);
  };
  entry["repetitions"] = cell.seconds.size();
  entry["threads"] = 1;
  for (std::size_t i = 0; i < cell.seconds.size(); ++i) {
    entry["repetition_index"] = i;
    add(cell.seconds[i]);
  }
  entry.erase("repetition_index");
  entry["name"] = name + "_median";
  entry["run_type"] = "aggregate";
  entry["aggregate_name"] = "median";
  add(cell.median);
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path);
  out << text << std::flush;
  if (!out) throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
}

int convert(const export_options& options) {
  if (is_profile(options.file)) {
    if (options.to.empty()) {
      throw usage_error(
          "export of a trace needs --to collapsed, speedscope, pprof, perfetto, csv or sqlite");
    }
    return export_profile(options.file, options.to, options.weight, options.out);
  }
  if (!options.to.empty()) {
    throw usage_error(fmt::format("{}: is no trace: --to is for traces", options.file.string()));
  }
  if (options.google_benchmark == options.csv) {
    throw usage_error("export needs one format: --google-benchmark or --csv");
  }
  const lab::result_file results = read_results(options.file);
  if (options.csv) {
    write(options.out, to_csv(results));
    fmt::print("{} cells: {}\n", results.cells.size() + results.series.size(),
               options.out.string());
    return success;
  }
  if (!results.series.empty()) {
    throw usage_error(
        fmt::format("{} is of the bench {}: --google-benchmark is for density, --csv "
                    "for all",
                    options.file.string(), results.run.bench));
  }
  json benchmarks = json::array();
  for (const auto& cell : results.cells) add_entries(benchmarks, cell);
  const json whole = {{"context", context_of(results.run)}, {"benchmarks", benchmarks}};
  write(options.out, whole.dump(1) + '\n');
  fmt::print("{} entries: {}\n", benchmarks.size(), options.out.string());
  return success;
}

}  // namespace

void add_export_command(CLI::App& app, context& shared) {
  CLI::App* command =
      app.add_subcommand("export", "Convert a result file or a trace for other tools");
  const auto options = std::make_shared<export_options>();
  command->add_option("RESULT", options->file, "Result file, trace, or DHAT's JSON")->required();
  command->add_flag("--google-benchmark", options->google_benchmark, "Google Benchmark's JSON");
  command->add_flag("--csv", options->csv, "A line per cell and measure");
  command->add_option("--to", options->to,
                      "Of a trace: collapsed, speedscope, pprof, perfetto, csv or sqlite");
  command->add_option("--weight", options->weight,
                      "Of collapsed stacks: alloc_space (default), alloc_objects, inuse_space, "
                      "inuse_objects, temporary, operations or cpu");
  command->add_option("-o,--output", options->out, "The new file")->required();
  command->callback(
      [&shared, options] { shared.chosen = [options] { return convert(*options); }; });
}

}  // namespace mallard::cli
