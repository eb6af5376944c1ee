#include "report/model.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "lab/claims.hpp"
#include "lab/reference.hpp"
#include "lab/strategies.hpp"
#include "lab/structures.hpp"

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

// What the page needs of a cell, in the order of its rows. Names as in the result file.
constexpr std::array cell_fields = {
    "ds",     "size",  "strategy",  "peer",           "heap",         "malloc",
    "status", "error", "median",    "ci_low",         "ci_high",      "seconds",
    "leaves", "runs",  "rss_bytes", "base_rss_bytes", "minor_faults", "major_faults"};

// Six significant digits are more than any clock gives, and shorten the page a good deal.
void shorten(json& value) {
  if (value.is_array()) {
    for (auto& element : value) shorten(element);
  } else if (value.is_number_float()) {
    value = std::stod(fmt::format("{:.6g}", value.get<double>()));
  }
}

// One row per cell instead of one object: the names are then said once. The rows come from the
// lines of the result format, which is thus written in one place only.
json cells(const dataset& set) {
  json all = json::array();
  for (const auto& cell : set.cells) {
    json line = json::parse(lab::to_line(cell));
    line["malloc"] = cell.malloc;
    json row = json::array();
    for (const char* field : cell_fields) row.push_back(std::move(line[field]));
    shorten(row);
    all.push_back(std::move(row));
  }
  return all;
}

// The cells of all other benches, each as its line in the result file.
json series(const dataset& set) {
  json all = json::array();
  for (const auto& cell : set.series) {
    json line = json::parse(lab::to_line(cell));
    line.erase("kind");
    if (line.contains("measures")) {
      for (auto& measure : line["measures"]) {
        for (auto& member : measure) shorten(member);
      }
    }
    all.push_back(std::move(line));
  }
  return all;
}

json sources(const dataset& set) {
  json all = json::array();
  for (const auto& [file, run] : set.sources) {
    json line = json::parse(lab::to_line(run));
    line.erase("kind");
    line["file"] = file;
    all.push_back(std::move(line));
  }
  return all;
}

json claims(const dataset& set) {
  json all = json::array();
  for (const auto& claim : lab::evaluate_claims(observe(set))) {
    all.push_back({{"id", claim.id},
                   {"source", claim.source},
                   {"section", claim.section},
                   {"bench", claim.bench},
                   {"statement", claim.statement},
                   {"note", claim.note},
                   {"heap", claim.heap},
                   {"variant", claim.variant},
                   {"verdict", lab::to_string(claim.result)},
                   {"figures", claim.figures}});
  }
  return all;
}

}  // namespace

json make_model(const merged_results& results) {
  json datasets = json::array();
  for (const auto& set : results.datasets) {
    datasets.push_back({{"label", set.label},
                        {"runs", sources(set)},
                        {"claims", claims(set)},
                        {"cells", cells(set)},
                        {"series", series(set)}});
  }
  return {{"schema", 1},
          {"notes", results.notes},
          {"structures", structures()},
          {"strategies", strategies()},
          {"published", published()},
          {"published_series", published_series()},
          {"cell_fields", cell_fields},
          {"datasets", std::move(datasets)}};
}

}  // namespace mallard::report
