// Cells of all benches in one form, for whoever compares figures without caring what was measured.
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
  place at;           // with strategy, peer and heap it identifies the cell; has "malloc"
  place derived;      // what follows from `at` and the machine: see observe()
  std::string error;  // empty: the cell is good
  std::map<std::string, figure, std::less<>> figures;

  bool ok() const { return error.empty(); }
  // The coordinate of that name, given or derived; null when there is none.
  const coordinate* find(std::string_view name) const;
  const figure* figure_of(std::string_view measure) const;
};

// With the coordinates of the cell. Derived are "subsystems", how many lists of 2^n or
// 10^n links the links make up, and "threads_per_core", rounded up. Derived figures, where the cell
// has what they are made of:
//   per_element         time / all elements of all containers, of benches that fill or empty them
//   insert_over_erase   insert / erase
//   in_use_per_element  in_use_after_erase / elements
//   kept                end_dynamic / peak_dynamic: what is still held when all has been freed
std::vector<observation> observe(std::span<const cell_result> cells, unsigned cores);

// Everything in a result file.
std::vector<observation> observe(const result_file& file);

// "at ds DS6, size 10", "at accesses 8, links 2^21, subsystem 18".
std::string place_text(const observation& cell);

}  // namespace mallard::lab
