#include "lab/reference.hpp"

#include <charconv>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace mallard::lab {

// The file reference/p0089/benchmark1_seconds.csv, put here at build time.
extern const std::string_view published_density_csv;

namespace {

using table = std::map<std::tuple<std::string_view, int, std::string_view>, double>;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
Number number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::logic_error("the built-in table of published figures is damaged");
  }
  return value;
}

// Columns: data structure, log2 of the size, then one per strategy, as the first line names them.
table parse(std::string_view csv) {
  table figures;
  const auto lines = split(csv, '\n');
  const auto names = split(lines.at(0), ',');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto fields = split(lines[i], ',');
    for (std::size_t column = 2; column < names.size(); ++column) {
      figures[{fields.at(0), number<int>(fields.at(1)), names[column]}] =
          number<double>(fields.at(column));
    }
  }
  return figures;
}

}  // namespace

std::optional<double> published_seconds(std::string_view ds, int size, std::string_view strategy) {
  static const table figures = parse(published_density_csv);
  const auto found = figures.find({ds, size, strategy});
  if (found == figures.end()) return std::nullopt;
  return found->second;
}

}  // namespace mallard::lab
