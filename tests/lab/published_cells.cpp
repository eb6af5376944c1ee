#include "published_cells.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "lab/claims/reference.hpp"

namespace mallard::lab {
namespace {

cell_result cell_of(std::string_view bench, place at, std::string_view strategy) {
  cell_result cell;
  cell.bench = bench;
  cell.at = std::move(at);
  cell.strategy = strategy;
  cell.peer = strategy == "AS1" || strategy == "AS2" ? "global" : "mallard";
  cell.heap = "clean";
  return cell;
}

void give(cell_result& cell, const std::string& name, std::string_view unit, double figure) {
  cell.measures[name] = {std::string(unit), {figure}, figure, figure * 0.9999, figure * 1.0001};
}

// The number at the end of a column's name: "shuffles_3", "iterations_2e8" (the exponent).
std::int64_t number_at_end(std::string_view column) {
  const auto digits = column.find_last_not_of("0123456789") + 1;
  std::int64_t value = 0;
  std::from_chars(column.data() + digits, column.data() + column.size(), value);
  return value;
}

std::int64_t links_of(std::string_view table) {
  if (table.ends_with("1e7")) return 10'000'000;
  return std::int64_t{1} << number_at_end(table);
}

void add_locality(std::vector<cell_result>& cells, const published_table& table) {
  const bool by_shuffles = table.name.find("shuffle") != table.name.npos;
  const auto strategy = table.name.find("_with_local") != table.name.npos ? "AS7" : "AS1";
  for (const auto& row : table.rows) {
    for (std::size_t column = 1; column < row.size(); ++column) {
      const std::int64_t number = number_at_end(table.columns[column]);
      cell_result cell = cell_of("locality",
                                 {{"links", links_of(table.name)},
                                  {"subsystem", static_cast<std::int64_t>(*row[0])},
                                  {"accesses", by_shuffles ? 10 : std::int64_t{1} << number},
                                  {"shuffles", by_shuffles ? number : 5},
                                  {"variant", "code"}},
                                 strategy);
      give(cell, "degradation", "ratio", *row[column]);
      cells.push_back(std::move(cell));
    }
  }
}

// Three columns of coordinates, then AS1 in seconds and the others in percent of it.
void add_percentages(std::vector<cell_result>& cells, const published_table& table,
                     std::string_view bench, const std::vector<std::string>& names,
                     const place& fixed) {
  for (const auto& row : table.rows) {
    place at = fixed;
    for (std::size_t i = 0; i < names.size(); ++i) {
      at[names[i]] = static_cast<std::int64_t>(*row[i]);
    }
    for (std::size_t column = 3; column < row.size(); ++column) {
      const std::string_view head = table.columns[column];
      cell_result cell = cell_of(bench, at, head.substr(0, head.find('_')));
      if (!row[column]) {
        cell.error = "the paper prints: fail";
      } else {
        give(cell, "time", "s", column == 3 ? *row[3] : *row[3] * *row[column] / 100);
      }
      cells.push_back(std::move(cell));
    }
  }
}

}  // namespace

std::vector<cell_result> published_series() {
  std::vector<cell_result> cells;
  for (const published_table& table : published_tables()) {
    if (table.name.starts_with("benchmark2") && !table.name.starts_with("benchmark2_ratio")) {
      add_locality(cells, table);
    } else if (table.name.starts_with("benchmark3")) {
      add_percentages(cells, table, "utilization", {"total", "active", "block"}, {});
    } else if (table.name.starts_with("benchmark4")) {
      add_percentages(cells, table, "contention", {"iterations", "block", "threads"},
                      {{"form", "own"}});
    }
  }
  return cells;
}

}  // namespace mallard::lab
