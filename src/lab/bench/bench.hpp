// A bench, described once. The command's options and help, the plan, the cells' keys, tables,
// comparisons, exports and the page all use this description.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/axis.hpp"
#include "lab/bench/page.hpp"
#include "lab/measuring/contender.hpp"
#include "lab/measuring/place.hpp"
#include "lab/measuring/task.hpp"
#include "lab/results/words.hpp"

namespace mallard::lab {

// A figure in tables: a scaled measure, per item of a place, or divided by another measure.
struct figure_kind {
  std::string title = {};
  std::string measure = {};
  double scale = 1;
  std::function<double(const place&)> per = nullptr;
  std::string over = {};
  better which = better::less;
};

// If one process measures several cells: the coordinate that distinguishes them.
struct parts_of_cell {
  std::string name = {};                               // the coordinate's
  std::function<coordinate(std::int64_t)> value = {};  // of a part
  // The parts that must be there if nothing fails. Empty: there is a whole cell, and its parts are
  // a series from one run, because several runs have their points at different times.
  std::function<std::vector<std::int64_t>(const place&)> expected = {};
  std::string series = {};           // the name that cells of such a series have for a bench
  std::string series_main = "time";  // the measure for comparisons
};

// The contenders of a bench.
enum class rivals {
  strategies,  // strategies of Table 1 (and shared ones) with each library's resources
  columns,     // allocators listed one by one
  mallocs,     // programs executed on each malloc found
};

struct rivals_of {
  rivals kind = rivals::mallocs;
  std::string usual = {};              // strategies
  std::string quick = {};              // strategies; empty: the usual ones
  std::string quick_others = {};       // of other libraries; empty: the same
  std::vector<contender> listed = {};  // columns
  std::string usual_heaps = "clean";
  std::string quick_heaps = "clean";
};

// The columns of a table in the terminal. Its rows are places or contenders.
enum class across {
  strategies,  // of one library at a time, and of the global heap
  columns,     // contenders of all libraries side by side
  along,       // values of one coordinate; rows are contenders
  figures,     // all figures; rows are contenders
};

struct table_kind {
  std::vector<std::string> tables = {};  // a table for each of their values
  std::vector<std::string> rows = {};    // coordinates of the rows
  across columns = across::strategies;
  std::string along = {};               // the coordinate whose values are the columns
  std::vector<std::string> order = {};  // of its values, if not alphabetical
  std::string base = {};                // the reference column; empty: AS1@global
  std::string units = {};               // of figures side by side
  // A value's text in a column's head, if it differs from the value.
  std::function<std::string(const coordinate&)> head = nullptr;
};

struct bench {
  std::string name = {};
  std::string summary = {};  // for --help and `bench list`
  std::string title = {};    // for the page
  rivals_of contenders = {};
  std::vector<axis> axes = {};
  // The task of a contender at a place; none if it has no such kernel, or the place makes no sense.
  std::function<task(const contender&, const place&)> kernel = {};
  std::vector<measure_kind> measures = {};
  std::string main = "time";  // the measure for comparisons
  std::vector<figure_kind> figures = {};
  table_kind table = {};
  std::function<double(const place&)> expected_seconds = {};
  // Whether to measure a place. May throw usage_error, or complete the place.
  std::function<bool(place&)> accept = nullptr;
  parts_of_cell parts = {};
  unsigned repetitions = 5;
  unsigned quick_repetitions = 3;
  std::string scaled = {};  // the parameter that --scale reduces; empty: there is no --scale
  std::string usual_scale = "1";
  std::string quick_scale = "1";
  bool limits_memory = false;  // by default, to 7/8 of the machine's
  bench_page page = {};
};

// The descriptions of the bench, and of its series, for result files.
words_of_benches words_of(const bench& one);

// All benches of this program, in the order of `bench list`.
std::span<const bench> all_benches();
// Whether the build has left none out (MALLARD_BENCHES).
bool has_all_benches();
// Returns: the bench of cells with this name, also of a series; null if none.
const bench* find_bench(std::string_view name);

}  // namespace mallard::lab
