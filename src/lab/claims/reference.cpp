#include "lab/claims/reference.hpp"

#include <charconv>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace mallard::lab {

// The files in reference/p0089, embedded at build time.
extern const std::string_view benchmark1_seconds_csv;
extern const std::string_view benchmark2_shuffle_effects_1e7_csv;
extern const std::string_view benchmark2_without_local_2e21_csv;
extern const std::string_view benchmark2_without_local_2e25_csv;
extern const std::string_view benchmark2_with_local_2e21_csv;
extern const std::string_view benchmark2_with_local_2e25_csv;
extern const std::string_view benchmark2_ratio_2e21_csv;
extern const std::string_view benchmark2_ratio_2e25_csv;
extern const std::string_view benchmark3_as1_seconds_others_percent_csv;
extern const std::string_view benchmark4_as1_seconds_others_percent_csv;

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

// The columns: data structure, log2 of the size, then one for each strategy in the first line.
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

published_table read_table(std::string_view name, std::string_view csv) {
  const auto lines = split(csv, '\n');
  published_table read{name, split(lines.at(0), ','), {}};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    auto& row = read.rows.emplace_back();
    for (const std::string_view field : split(lines[i], ',')) {
      row.push_back(field == "FAIL" ? std::nullopt : std::optional(number<double>(field)));
    }
    if (row.size() != read.columns.size()) {
      throw std::logic_error("the built-in table of published figures is damaged");
    }
  }
  return read;
}

}  // namespace

std::optional<double> published_seconds(std::string_view ds, int size, std::string_view strategy) {
  static const table figures = parse(benchmark1_seconds_csv);
  const auto found = figures.find({ds, size, strategy});
  if (found == figures.end()) return std::nullopt;
  return found->second;
}

std::span<const published_table> published_tables() {
  static const std::vector<published_table> tables = {
      read_table("benchmark2_shuffle_effects_1e7", benchmark2_shuffle_effects_1e7_csv),
      read_table("benchmark2_without_local_2e21", benchmark2_without_local_2e21_csv),
      read_table("benchmark2_without_local_2e25", benchmark2_without_local_2e25_csv),
      read_table("benchmark2_with_local_2e21", benchmark2_with_local_2e21_csv),
      read_table("benchmark2_with_local_2e25", benchmark2_with_local_2e25_csv),
      read_table("benchmark2_ratio_2e21", benchmark2_ratio_2e21_csv),
      read_table("benchmark2_ratio_2e25", benchmark2_ratio_2e25_csv),
      read_table("benchmark3_as1_seconds_others_percent",
                 benchmark3_as1_seconds_others_percent_csv),
      read_table("benchmark4_as1_seconds_others_percent",
                 benchmark4_as1_seconds_others_percent_csv)};
  return tables;
}

}  // namespace mallard::lab
