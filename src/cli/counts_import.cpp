#include "cli/counts_import.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "cli/result_writer.hpp"
#include "cli/run_file.hpp"

namespace mallard::cli {
namespace {

constexpr const char* bench_name = "counts";

struct counted {
  bool of_malloc = false;
  std::string who, what, unit;
  double value = 0;
};

std::optional<counted> parse(const std::string& line) {
  std::istringstream words(line);
  std::string kind, more;
  counted one;
  const bool complete =
      static_cast<bool>(words >> kind >> one.who >> one.what >> one.unit >> one.value);
  if (!complete || words >> more || !std::isfinite(one.value) || one.value < 0) return std::nullopt;
  if (kind != "resource" && kind != "malloc") return std::nullopt;
  one.of_malloc = kind == "malloc";
  return one;
}

lab::cell_key key_of(const counted& one) {
  lab::cell_key key;
  key.bench = bench_name;
  key.at = {{"of", one.what}};
  key.strategy = one.of_malloc ? "AS1" : one.who;
  key.peer = one.of_malloc ? lab::global_peer : "mallard";
  key.heap = "clean";
  if (one.of_malloc) key.malloc = one.who;
  return key;
}

lab::words_of_benches words_of(const std::set<std::string>& units) {
  lab::bench_words words;
  words.title = "Counts: what needs no clock";
  words.summary = "Instructions of a call, and memory";
  words.main = units.contains("instructions") ? "instructions" : *units.begin();
  for (const std::string& unit : units) words.measures.push_back({unit, "count", ""});
  return {{bench_name, std::move(words)}};
}

}  // namespace

bool is_counts(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  return std::getline(in, line) && line.size() < 1000 && parse(line);
}

std::size_t import_counts(const std::filesystem::path& file, const std::filesystem::path& out,
                          const std::string& command_line) {
  std::ifstream in(file);
  std::map<lab::cell_key, lab::cell_result> cells;
  std::set<std::string> units;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const auto one = parse(line);
    if (!one) {
      throw std::runtime_error(
          fmt::format("{}:{}: is not resource or malloc, a name, what was counted, its unit and a "
                      "number",
                      file.string(), number));
    }
    const lab::cell_key key = key_of(*one);
    lab::cell_result& cell = cells[key];
    static_cast<lab::cell_key&>(cell) = key;
    units.insert(one->unit);
    // A count is the same whenever it is taken.
    cell.measures[one->unit] = {"count", {one->value}, one->value, one->value, one->value};
  }
  lab::run_info run = describe_run(bench_name, command_line, {"mallard"});
  run.repetitions = 1;
  run.heaps = {"clean"};
  run.benches = words_of(units);
  result_writer writer(out, run, existing_file::replace);
  for (const auto& entry : cells) writer.write(entry.second);
  return cells.size();
}

}  // namespace mallard::cli
