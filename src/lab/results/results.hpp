// The result file: one JSON object per line, first the run and its conditions, then one line per
// cell. This is the only description of the format; benches write it, and every reader uses it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/measuring/build.hpp"
#include "lab/measuring/machine.hpp"
#include "lab/measuring/peers.hpp"
#include "lab/results/cell.hpp"
#include "lab/results/words.hpp"

namespace mallard::lab {

// Files with another schema are refused.
inline constexpr int result_schema = 2;

struct run_info {
  int schema = result_schema;
  std::string version;  // of mallard
  std::string bench;
  std::string command;  // repeats the measurement
  std::string date;     // ISO 8601, UTC
  machine_info machine;
  build_info build;
  std::string mode;          // "fair" or "paper"
  unsigned repetitions = 0;  // requested; a cell of an interrupted run may have fewer
  std::uint64_t seed = 0;
  std::vector<std::string> heaps;  // conditions: "clean", "aged"
  std::vector<peer_version> peers;
  std::vector<skipped_peer> skipped;
  place parameters;                   // shared by all cells and not in their keys
  std::string malloc{system_malloc};  // or the name of the preloaded library
  words_of_benches benches;           // of the cells; empty in older files
};

struct result_file {
  std::filesystem::path path;
  run_info run;
  std::vector<cell_result> cells;
  std::vector<std::string> warnings;  // such as a last line that was cut off
};

// One line, as below, about a file whose first line is not that of a result file.
struct not_a_result_file : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads a whole file. Throws std::runtime_error, with one line ("FILE:LINE: what is wrong"), if the
// file cannot be read, is not a result file, or has a malformed line other than a cut-off last one.
// If a cell occurs twice, the later one counts.
result_file load_results(const std::filesystem::path& path);

// One line each, without the newline.
std::string to_line(const run_info& run);
std::string to_line(const cell_result& cell);

}  // namespace mallard::lab
