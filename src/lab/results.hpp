// The result file: one JSON object per line, first what was run and where, then one line per cell.
// This is the only description of the format; the bench writes it, every reader goes through it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/series.hpp"

namespace mallard::lab {

inline constexpr int result_schema = 1;

struct machine_info {
  std::string cpu;
  unsigned cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string kernel;
  std::uint64_t page_bytes = 0;
  std::string transparent_hugepages;  // "always", "madvise", "never" or "unknown"
  std::uint64_t l1d_bytes = 0;        // 0: not known
  std::uint64_t l2_bytes = 0;
  std::uint64_t l3_bytes = 0;
};

struct build_info {
  std::string compiler;
  std::string flags;
  std::string build_type;
  bool assertions = false;
};

// A library whose resources were measured, or one that could not be and why.
struct peer_version {
  std::string name;
  std::string version;
};
struct skipped_peer {
  std::string peer;
  std::string reason;
};

// What was asked for, as far as it is not in the cells: names and numbers.
using run_parameters = std::map<std::string, std::variant<std::int64_t, double, std::string>>;

struct run_info {
  int schema = result_schema;
  std::string version;  // of mallard
  std::string bench;    // "density", or that of a series
  std::string command;  // what to type to get these numbers again
  std::string date;     // ISO 8601, UTC
  machine_info machine;
  build_info build;
  std::string mode;          // "fair" or "paper"
  double scale = 0;          // density: of the paper's number of leaf insertions
  std::uint64_t leaves = 0;  // density: leaf insertions that every `seconds` is given for
  unsigned repetitions = 0;  // asked for; a cell of an interrupted run may have fewer
  std::uint64_t seed = 0;
  std::vector<std::string> heaps;  // conditions: "clean", "aged"
  std::vector<peer_version> peers;
  std::vector<skipped_peer> skipped;
  run_parameters parameters;     // of a series
  std::string malloc = "glibc";  // or the name of the library that was preloaded
};

// What identifies a cell inside one file.
struct cell_key {
  std::string ds;        // "DS1".."DS12"
  int size = 0;          // log2 of the number of elements of the outer container
  std::string strategy;  // "AS1".."AS14", "AS3n".."AS6n"
  std::string peer;      // "global" for AS1, else "mallard", "std", "boost"
  std::string heap;      // "clean" or "aged"
  friend auto operator<=>(const cell_key&, const cell_key&) = default;
};

// One measured cell. The vectors have one entry per repetition; a failed cell has none.
struct cell_result {
  std::string bench;
  cell_key key;
  std::string mode;
  std::string error;  // empty: the cell is good

  // Seconds for `leaves` leaf insertions: the measured time of `runs` runs, scaled to `leaves`.
  std::vector<double> seconds;
  double median = 0;
  double ci_low = 0;  // bootstrap 95 % confidence interval of the median
  double ci_high = 0;
  std::vector<double> setup_seconds;     // untimed part: mapping the buffer, the warm-up run
  std::vector<std::uint64_t> rss_bytes;  // peak resident set during the timed runs
  std::vector<std::uint64_t>
      base_rss_bytes;                       // resident set before the first allocation of the cell
  std::vector<std::uint64_t> minor_faults;  // during the timed runs
  std::vector<std::uint64_t> major_faults;
  std::uint64_t leaves = 0;
  std::uint64_t runs = 0;  // containers built and dropped per repetition
  std::string checksum;    // of one run's elements, hexadecimal

  bool ok() const { return error.empty(); }
};

struct result_file {
  std::filesystem::path path;
  run_info run;
  std::vector<cell_result> cells;     // of the bench "density"
  std::vector<series_cell> series;    // of all others
  std::vector<std::string> warnings;  // for example a last line that was cut off
};

// Reads a whole file. Throws std::runtime_error with one line ("FILE:LINE: what is wrong") when the
// file cannot be read, is not a result file, or any line but a cut-off last one is malformed.
// When the same cell occurs twice, the later one counts.
result_file load_results(const std::filesystem::path& path);

// One line each, without the newline.
std::string to_line(const run_info& run);
std::string to_line(const cell_result& cell);

// "AS7@mallard": how strategies are named wherever peers are mixed.
std::string column_name(std::string_view strategy, std::string_view peer);

}  // namespace mallard::lab
