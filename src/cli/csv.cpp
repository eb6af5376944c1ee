#include "cli/csv.hpp"

#include <fmt/format.h>

#include <set>

namespace mallard::cli {
namespace {

// Quoted only where that is needed.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char one : text) quoted += one == '"' ? std::string("\"\"") : std::string(1, one);
  return quoted + "\"";
}

std::string line_start(const lab::cell_result& cell, const std::set<std::string>& names) {
  std::string line = field(cell.bench);
  for (const std::string& name : names) {
    const auto found = cell.at.find(name);
    line += ',' + (found == cell.at.end() ? "" : field(lab::to_string(found->second)));
  }
  for (const std::string* one : {&cell.strategy, &cell.peer, &cell.heap, &cell.malloc}) {
    line += ',' + field(*one);
  }
  return line;
}

}  // namespace

std::string to_csv(const lab::result_file& results) {
  const std::vector<lab::cell_result>& cells = results.cells;
  std::set<std::string> names;
  for (const lab::cell_result& cell : cells) {
    for (const auto& entry : cell.at) names.insert(entry.first);
  }
  std::string text = "bench";
  for (const std::string& name : names) text += ',' + field(name);
  text += ",strategy,peer,heap,malloc,status,error,measure,unit,median,ci_low,ci_high,samples\n";
  for (const lab::cell_result& cell : cells) {
    const std::string start = line_start(cell, names);
    if (!cell.ok()) text += fmt::format("{},failed,{},,,,,,\n", start, field(cell.error));
    for (const auto& [name, one] : cell.measures) {
      std::string samples;
      for (const double sample : one.samples) {
        samples += fmt::format("{}{}", samples.empty() ? "" : ";", sample);
      }
      text += fmt::format("{},ok,,{},{},{},{},{},{}\n", start, field(name), field(one.unit),
                          one.median, one.ci_low, one.ci_high, samples);
    }
  }
  return text;
}

}  // namespace mallard::cli
