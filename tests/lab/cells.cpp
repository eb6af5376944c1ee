#include "cells.hpp"

#include "lab/measuring/strategies.hpp"
#include "lab/measuring/structures.hpp"

namespace mallard::lab {

cell_result make_cell(std::string_view ds, int size, std::string_view strategy,
                      std::string_view peer, std::string_view heap, double seconds) {
  cell_result cell;
  cell.bench = "density";
  cell.at = {{"ds", std::string(ds)}, {"size", size}};
  cell.strategy = strategy;
  cell.peer = peer;
  cell.heap = heap;
  cell.measures["time"] = {
      "s", {seconds * 0.999, seconds, seconds * 1.001}, seconds, seconds * 0.999, seconds * 1.001};
  cell.measures["rss"] = summarise("B", {1000, 2000, 3000}, 1);
  cell.checksum = "00000000000000ff";
  return cell;
}

std::vector<cell_result> make_table(
    const std::function<double(std::string_view, int, std::string_view)>& seconds) {
  std::vector<cell_result> cells;
  for (const structure& ds : all_structures()) {
    for (const int size : {6, 10, 14, 15}) {
      for (const strategy& how : all_strategies()) {
        if (!how.published()) continue;
        const auto peer = how.name == "AS1" ? "global" : how.name == "AS2" ? "std" : "mallard";
        cells.push_back(
            make_cell(ds.name, size, how.name, peer, "clean", seconds(ds.name, size, how.name)));
      }
    }
  }
  return cells;
}

run_info make_run() {
  run_info run;
  run.version = "0.1.0";
  run.bench = "density";
  run.command = "mallard bench density --ds 1";
  run.date = "2026-01-02T03:04:05Z";
  run.machine = {.cpu = "A \"quoted\" processor",
                 .cores = 2,
                 .memory_bytes = 1ULL << 40,
                 .kernel = "Linux 6.1",
                 .page_bytes = 4096,
                 .transparent_hugepages = "madvise",
                 .l1d_bytes = 32768,
                 .l2_bytes = 1 << 20,
                 .l3_bytes = 0};
  run.build = {.compiler = "gcc 12.2.0",
               .flags = "-O3 -DNDEBUG",
               .build_type = "Release",
               .assertions = false};
  run.mode = "fair";
  run.parameters = {{"leaves", 1 << 21}, {"scale", 1.0 / 64}, {"paper", 0}};
  run.repetitions = 3;
  run.seed = 42;
  run.heaps = {"clean", "aged"};
  run.peers = {{"std", "libstdc++ 12"}};
  run.skipped = {{"boost", "not found"}};
  return run;
}

cell_result make_series_cell(int subsystem, std::string_view strategy, std::string_view peer,
                             std::string_view heap, double seconds) {
  cell_result cell;
  cell.bench = "locality";
  cell.at = {{"links", 1 << 21},
             {"subsystem", subsystem},
             {"accesses", 8},
             {"shuffles", 5},
             {"variant", "code"}};
  cell.strategy = strategy;
  cell.peer = peer;
  cell.heap = heap;
  cell.measures["access_after"] = summarise("s", {seconds * 0.999, seconds, seconds * 1.001}, 1);
  cell.measures["rss"] = summarise("B", {1e8, 1e8, 1e8}, 1);
  return cell;
}

run_info make_series_run() {
  run_info run = make_run();
  run.bench = "locality";
  run.command = "mallard bench locality";
  run.parameters = {{"links", "2^21"}, {"shuffles", 5}, {"part", 0.5}};
  return run;
}

}  // namespace mallard::lab
