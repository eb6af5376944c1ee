// The result file: one JSON object per line, first what was run and where, then one line per cell.
// This is the only description of the format; benches write it, every reader goes through it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/measuring/build.hpp"
#include "lab/measuring/machine.hpp"
#include "lab/measuring/peers.hpp"
#include "lab/results/cell.hpp"
#include "lab/results/words.hpp"

namespace mallard::lab {

// Files of any other schema are refused.
inline constexpr int result_schema = 2;

struct run_info {
  int schema = result_schema;
  std::string version;  // of mallard
  std::string bench;
  std::string command;  // what to type to get these numbers again
  std::string date;     // ISO 8601, UTC
  machine_info machine;
  build_info build;
  std::string mode;          // "fair" or "paper"
  unsigned repetitions = 0;  // asked for; a cell of an interrupted run may have fewer
  std::uint64_t seed = 0;
  std::vector<std::string> heaps;  // conditions: "clean", "aged"
  std::vector<peer_version> peers;
  std::vector<skipped_peer> skipped;
  place parameters;                   // what all cells have in common and their keys do not say
  std::string malloc{system_malloc};  // or the name of the library that was preloaded
  words_of_benches benches;           // of the cells; empty in files written before
};

struct result_file {
  std::filesystem::path path;
  run_info run;
  std::vector<cell_result> cells;
  std::vector<std::string> warnings;  // for example a last line that was cut off
};

// Reads a whole file. Throws std::runtime_error with one line ("FILE:LINE: what is wrong") when the
// file cannot be read, is not a result file, or any line but a cut-off last one is malformed.
// When the same cell occurs twice, the later one counts.
result_file load_results(const std::filesystem::path& path);

// One line each, without the newline.
std::string to_line(const run_info& run);
std::string to_line(const cell_result& cell);

}  // namespace mallard::lab
