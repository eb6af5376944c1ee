// Purpose: the figures of a result file's series, by column and place, for those who judge them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "goal_table.hpp"
#include "lab/results/results.hpp"

using mallard::lab::cell_result;
using mallard::lab::place;

inline std::int64_t number(const place& at, const char* name) {
  const auto found = at.find(name);
  return found == at.end() ? -1 : std::get<std::int64_t>(found->second);
}

inline std::string word(const place& at, const char* name) {
  const auto found = at.find(name);
  return found == at.end() ? "" : std::get<std::string>(found->second);
}

class cells {
 public:
  // Of one bench, or of all.
  explicit cells(std::span<char* const> paths, std::string_view bench = "") {
    for (const char* path : paths) {
      for (const cell_result& cell : mallard::lab::load_results(path).cells) {
        if (bench.empty() || cell.bench == bench) all_.push_back(cell);
      }
    }
  }

  using where = std::function<bool(const place&)>;

  // A measure of every good cell of a column that lies there, with the cell.
  struct figure {
    const cell_result* cell;
    double value;
  };
  std::vector<figure> figures(const std::string& column, const char* measure,
                              const where& there) const {
    std::vector<figure> out;
    for (const cell_result& cell : all_) {
      if (!cell.ok() || cell.strategy + "@" + cell.peer != column || !there(cell.at)) continue;
      if (const auto* found = cell.find(measure)) out.push_back({&cell, found->median});
    }
    return out;
  }

  // A measure of one column by that of another in the cell whose coordinates `matching` gives.
  std::vector<figure> ratios(const std::string& of, const std::string& against, const char* measure,
                             const where& there,
                             const std::function<place(place)>& matching = {}) const {
    std::vector<figure> out;
    for (const figure& f : figures(of, measure, there)) {
      const place at = matching ? matching(f.cell->at) : f.cell->at;
      for (const figure& other :
           figures(against, measure, [&](const place& c) { return c == at; })) {
        if (other.cell->heap == f.cell->heap) out.push_back({f.cell, f.value / other.value});
      }
    }
    return out;
  }

 private:
  std::vector<cell_result> all_;
};

inline std::string name_of(const cell_result& cell) {
  std::string out;
  for (const auto& [name, value] : cell.at) {
    if (!out.empty()) out += ", ";
    out += name;
    out += ' ';
    out += mallard::lab::to_string(value);
  }
  return out;
}

// By value, the lowest figure first.
inline bool is_lower(const cells::figure& a, const cells::figure& b) {
  return a.value < b.value;
}

inline void worst(goal_table& table, const std::string& what, double goal,
                  const std::vector<cells::figure>& all) {
  const auto most = std::max_element(all.begin(), all.end(), is_lower);
  if (most == all.end()) return table.at_most(what + ", worst cell", goal, std::nullopt);
  table.at_most(what + ", worst cell", goal, most->value, name_of(*most->cell));
}

// The same of figures that must not be below the goal.
inline void lowest(goal_table& table, const std::string& what, double goal,
                   const std::vector<cells::figure>& all) {
  const auto least = std::min_element(all.begin(), all.end(), is_lower);
  if (least == all.end()) return table.at_least(what + ", worst cell", goal, std::nullopt);
  table.at_least(what + ", worst cell", goal, least->value, name_of(*least->cell));
}

inline void median(goal_table& table, const std::string& what, double goal,
                   std::vector<cells::figure> all) {
  if (all.empty()) return table.at_most(what + ", median", goal, std::nullopt);
  std::sort(all.begin(), all.end(), is_lower);
  table.at_most(what + ", median", goal, all[all.size() / 2].value,
                std::to_string(all.size()) + " cells");
}
