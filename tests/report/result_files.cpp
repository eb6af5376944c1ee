#include "result_files.hpp"

#include <fstream>
#include <iterator>

namespace mallard::report_test {

namespace fs = std::filesystem;

lab::run_info sample_run() {
  lab::run_info run;
  run.version = "0.1.0";
  run.bench = "density";
  run.command = "mallard bench density";
  run.date = "2026-01-02T03:04:05Z";
  run.machine = {.cpu = "Example CPU",
                 .cores = 4,
                 .memory_bytes = 1U << 30,
                 .kernel = "Linux",
                 .page_bytes = 4096,
                 .transparent_hugepages = "never"};
  run.build = {.compiler = "gcc 12.2.0", .flags = "-O3", .build_type = "Release"};
  run.mode = "fair";
  run.parameters = {{"leaves", 1 << 26}, {"scale", 0.5}};
  run.repetitions = 3;
  run.seed = 1;
  run.heaps = {"clean"};
  return run;
}

namespace {

lab::cell_result bare_cell(std::string_view bench, const lab::place& at, std::string_view strategy,
                           std::string_view error) {
  lab::cell_result cell;
  cell.bench = bench;
  cell.at = at;
  cell.strategy = strategy;
  cell.peer = strategy == "AS1" ? "global" : "mallard";
  cell.heap = "clean";
  cell.error = error;
  return cell;
}

}  // namespace

lab::cell_result failed_cell(std::string_view strategy, std::string_view error) {
  return bare_cell("density", {{"ds", "DS1"}, {"size", 6}}, strategy, error);
}

lab::cell_result sample_cell(std::string_view strategy, double seconds) {
  lab::cell_result cell = failed_cell(strategy, "");
  cell.measures["time"] = {"s", {seconds, seconds, seconds}, seconds, seconds, seconds};
  cell.measures["rss"] = {"B", {4096, 4096, 4096}, 4096, 4096, 4096};
  return cell;
}

lab::result_file sample_file(std::string_view name, std::vector<lab::cell_result> cells) {
  return {.path = name, .run = sample_run(), .cells = std::move(cells), .warnings = {}};
}

lab::cell_result failed_series_cell(std::string_view strategy, std::string_view error) {
  return bare_cell(
      "utilization",
      {{"total", std::int64_t{30}}, {"active", std::int64_t{15}}, {"block", std::int64_t{10}}},
      strategy, error);
}

lab::cell_result sample_series_cell(std::string_view strategy, double seconds) {
  lab::cell_result cell = failed_series_cell(strategy, "");
  cell.measures["time"] = {"s", {seconds, seconds, seconds}, seconds, seconds, seconds};
  return cell;
}

lab::result_file sample_series_file(std::string_view name, std::vector<lab::cell_result> cells) {
  lab::result_file file = sample_file(name, {});
  file.run.bench = "utilization";
  file.run.parameters = {};
  file.cells = std::move(cells);
  return file;
}

std::size_t result_folder::entries() const {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(path()), fs::directory_iterator()));
}

fs::path result_folder::write(std::string_view name, std::string_view text) const {
  std::ofstream(*this / name, std::ios::binary) << text;
  return *this / name;
}

fs::path result_folder::write(const lab::result_file& file) const {
  std::string text = to_line(file.run) + "\n";
  for (const auto& cell : file.cells) text += to_line(cell) + "\n";
  return write(file.path.string(), text);
}

}  // namespace mallard::report_test
