// Cells of all benches in one form, for comparing figures without knowing what was measured.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/results.hpp"

namespace mallard::lab {

// A median with its interval.
struct figure {
  double median;
  double low;
  double high;
};

struct observation {
  std::string bench;
  std::string strategy;
  std::string peer;
  std::string heap;
  place at;           // with strategy, peer and heap it identifies the cell; contains "malloc"
  place derived;      // follows from `at` and the machine: see observe()
  std::string error;  // empty: the cell is good
  std::map<std::string, figure, std::less<>> figures;

  bool ok() const { return error.empty(); }
  // Returns: the coordinate with this name, given or derived; null if there is none.
  const coordinate* find(std::string_view name) const;
  const figure* figure_of(std::string_view measure) const;
};

// The cells with their coordinates, and derived coordinates: "subsystems", the number of lists of
// 2^n or 10^n links, and "threads_per_core", rounded up. Derived figures, if the cell has their
// parts:
//
//   per_element         time / all elements of all containers, for benches that fill or empty them
//   insert_over_erase   insert / erase
//   in_use_per_element  in_use_after_erase / elements
//   kept                end_dynamic / peak_dynamic: the share still held when everything is freed
std::vector<observation> observe(std::span<const cell_result> cells, unsigned cores);

// All cells of a result file.
std::vector<observation> observe(const result_file& file);

// A cell's place as text: "at ds DS6, size 10", "at accesses 8, links 2^21, subsystem 18".
std::string place_text(const observation& cell);

}  // namespace mallard::lab
