#include "report/model.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "lab/bench/bench.hpp"
#include "lab/claims/claims.hpp"
#include "lab/claims/reference.hpp"
#include "lab/claims/verdict_json.hpp"
#include "lab/measuring/strategies.hpp"
#include "lab/measuring/structures.hpp"
#include "lab/results/cell_json.hpp"
#include "report/page_json.hpp"

namespace mallard::report {
namespace {

using json = nlohmann::ordered_json;

json structures() {
  json all = json::array();
  for (const auto& one : lab::all_structures()) {
    all.push_back({{"id", one.name}, {"type", one.type}});
  }
  return all;
}

json strategies() {
  json all = json::array();
  for (const auto& one : lab::all_strategies()) {
    all.push_back({{"id", one.name},
                   {"allocator", lab::to_string(one.what)},
                   {"binding", lab::to_string(one.how)},
                   {"wink", one.end == lab::destruction::winked_out},
                   {"buffer", one.callers_buffer},
                   {"published", one.published()}});
  }
  return all;
}

// Seconds by structure, size and strategy. The sizes are those of the paper's tables.
json published() {
  constexpr int smallest = 6;
  constexpr int largest = 16;
  json tables = json::object();
  for (const auto& structure : lab::all_structures()) {
    for (int size = smallest; size <= largest; ++size) {
      for (const auto& strategy : lab::all_strategies()) {
        if (const auto seconds = lab::published_seconds(structure.name, size, strategy.name)) {
          tables[std::string(structure.name)][std::to_string(size)][std::string(strategy.name)] =
              *seconds;
        }
      }
    }
  }
  return {{"leaves", lab::paper_leaves}, {"seconds", tables}};
}

// The tables of Benchmarks II to IV: {name: {"columns", "rows"}}; null is a failure.
json published_series() {
  json tables = json::object();
  for (const auto& table : lab::published_tables()) {
    json rows = json::array();
    for (const auto& row : table.rows) {
      json values = json::array();
      for (const auto& value : row) values.push_back(value ? json(*value) : json(nullptr));
      rows.push_back(std::move(values));
    }
    tables[std::string(table.name)] = {{"columns", table.columns}, {"rows", std::move(rows)}};
  }
  return tables;
}

// Six significant digits are more than any clock gives, and shorten the page a good deal.
void shorten(json& value) {
  if (value.is_array()) {
    for (auto& element : value) shorten(element);
  } else if (value.is_number_float()) {
    value = std::stod(fmt::format("{:.6g}", value.get<double>()));
  }
}

// Heat maps show the spread of the main measure alone, of which there are thousands of cells.
bool shows_all_measures(const lab::cell_result& cell) {
  return !cell.at.contains("ds");
}

// The measure that cells of a bench are compared by.
std::string main_measure(const lab::dataset& set, const std::string& bench) {
  for (auto one = set.sources.rbegin(); one != set.sources.rend(); ++one) {
    const auto words = one->run.benches.find(bench);
    if (words != one->run.benches.end()) return words->second.main;
  }
  const lab::bench* const what = lab::find_bench(bench);
  return what ? what->main : "time";
}

// Each cell as in the result file, as far as it is shown.
json cells(const lab::dataset& set) {
  json all = json::array();
  std::map<std::string, std::string> main_measures;  // by bench
  for (const auto& cell : set.cells) {
    const auto [compared_by, fresh] = main_measures.try_emplace(cell.bench);
    if (fresh) compared_by->second = main_measure(set, cell.bench);
    json object = lab::to_json(cell);
    object.erase("kind");
    object.erase("checksum");
    if (!cell.ok()) {
      all.push_back(std::move(object));
      continue;
    }
    for (auto& [name, measure] : object["measures"].items()) {
      if (!shows_all_measures(cell) && name != compared_by->second) {
        measure = {{"unit", measure["unit"]}, {"median", measure["median"]}};
      }
      for (auto& member : measure) shorten(member);
    }
    all.push_back(std::move(object));
  }
  return all;
}

json sources(const lab::dataset& set) {
  json all = json::array();
  for (const auto& [file, run] : set.sources) {
    json line = json::parse(lab::to_line(run));
    line.erase("kind");
    line["file"] = file;
    all.push_back(std::move(line));
  }
  return all;
}

json claims(const lab::dataset& set) {
  json all = json::array();
  for (const auto& claim : lab::evaluate_claims(lab::observe(set))) {
    all.push_back(lab::to_json(claim));
  }
  return all;
}

// The page's words for benches: titles, units and directions as the result files say them, of
// the newest that does; as this program does where none says. How they are shown, this program
// alone.
json benches(const lab::merged_results& results) {
  json all = json::object();
  for (const lab::bench& one : lab::all_benches()) {
    for (const auto& [name, words] : lab::words_of(one)) {
      all[name] = lab::to_json(words);
      all[name]["page"] = page_json(one.page, name != one.name);
    }
  }
  for (const lab::dataset& set : results.datasets) {
    for (const lab::source& source : set.sources) {
      for (const auto& [name, words] : source.run.benches) all[name].update(lab::to_json(words));
    }
  }
  return all;
}

}  // namespace

json make_model(const lab::merged_results& results) {
  json datasets = json::array();
  for (const auto& set : results.datasets) {
    datasets.push_back({{"label", set.label},
                        {"runs", sources(set)},
                        {"claims", claims(set)},
                        {"cells", cells(set)}});
  }
  return {{"schema", 1},
          {"notes", results.notes},
          {"structures", structures()},
          {"strategies", strategies()},
          {"published", published()},
          {"published_series", published_series()},
          {"benches", benches(results)},
          {"datasets", std::move(datasets)}};
}

}  // namespace mallard::report
