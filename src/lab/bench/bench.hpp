// A bench: everything that is said of it anywhere is said here once. The command's options and
// help, the plan, the cells' keys, tables, comparisons, exports and the page all read it.
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

// A figure in tables: a measure, scaled, for each item of a place, or over another measure.
struct figure_kind {
  std::string title = {};
  std::string measure = {};
  double scale = 1;
  std::function<double(const place&)> per = nullptr;
  std::string over = {};
  better which = better::less;
};

// If one process measures several cells: the coordinate that tells them apart.
struct parts_of_cell {
  std::string name = {};                               // of the coordinate
  std::function<coordinate(std::int64_t)> value = {};  // of a part
  // Those that must be there when nothing fails; none: the whole cell, and parts are a series that
  // comes with it, of one run, because points of several are not at the same times.
  std::function<std::vector<std::int64_t>(const place&)> expected = {};
  std::string series = {};           // what the cells of such a series have for a bench
  std::string series_main = "time";  // the measure that they are compared by
};

// The rivals that are measured against each other.
enum class rivals {
  strategies,  // strategies of Table 1 (and shared ones) with the resources of each library
  columns,     // allocators that are listed one by one
  mallocs,     // programs executed on each malloc that is found
};

struct rivals_of {
  rivals kind = rivals::mallocs;
  std::string usual = {};              // strategies
  std::string quick = {};              // strategies; empty: the usual ones
  std::string quick_others = {};       // those of the other libraries; empty: the same
  std::vector<contender> listed = {};  // columns
  std::string usual_heaps = "clean";
  std::string quick_heaps = "clean";
};

// Columns of a table in the terminal; its rows are places, or the contenders.
enum class across {
  strategies,  // of one library at a time, and of the global heap
  columns,     // contenders of all libraries side by side
  along,       // values of one coordinate; the contenders make the rows
  figures,     // all figures; the contenders make the rows
};

struct table_kind {
  std::vector<std::string> tables = {};  // coordinates that make tables of their own
  std::vector<std::string> rows = {};    // coordinates that make the rows
  across columns = across::strategies;
  std::string along = {};               // the coordinate whose values are columns
  std::vector<std::string> order = {};  // of its values, where that is not the alphabet's
  std::string base = {};   // the column that others are seen against; empty: AS1@global
  std::string units = {};  // of figures side by side
  // Text of a value in the head of a column, where it differs from the value's own.
  std::function<std::string(const coordinate&)> head = nullptr;
};

struct bench {
  std::string name = {};
  std::string summary = {};  // in --help and `bench list`
  std::string title = {};    // on the page
  rivals_of contenders = {};
  std::vector<axis> axes = {};
  // Task of a contender at a place; none where it has no such kernel, or that makes no sense.
  std::function<task(const contender&, const place&)> kernel = {};
  std::vector<measure_kind> measures = {};
  std::string main = "time";  // the measure that contenders are compared by
  std::vector<figure_kind> figures = {};
  table_kind table = {};
  std::function<double(const place&)> expected_seconds = {};
  // Whether a place is to be measured; may throw usage_error, or make the place complete.
  std::function<bool(place&)> accept = nullptr;
  parts_of_cell parts = {};
  unsigned repetitions = 5;
  unsigned quick_repetitions = 3;
  std::string scaled = {};  // what --scale takes a fraction of; empty: there is no --scale
  std::string usual_scale = "1";
  std::string quick_scale = "1";
  bool limits_memory = false;  // to 7/8 of the machine's, where nothing else was asked for
  bench_page page = {};
};

// Description of the bench, and of the series that comes with it, for its result files.
words_of_benches words_of(const bench& one);

// Every bench of this program, in the order of `bench list`.
std::span<const bench> all_benches();
// That of cells with this name, the series that come with others included; null: none.
const bench* find_bench(std::string_view name);

}  // namespace mallard::lab
