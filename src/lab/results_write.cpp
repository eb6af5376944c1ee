#include <fmt/format.h>

#include "lab/results.hpp"
#include "lab/series_json.hpp"

namespace mallard::lab {

std::string to_line(const run_info& run) {
  json peers = json::array();
  for (const auto& peer : run.peers) {
    peers.push_back({{"name", peer.name}, {"version", peer.version}});
  }
  json skipped = json::array();
  for (const auto& peer : run.skipped) {
    skipped.push_back({{"peer", peer.peer}, {"reason", peer.reason}});
  }
  json object = {
      {"kind", "run"},
      {"schema", run.schema},
      {"version", run.version},
      {"bench", run.bench},
      {"command", run.command},
      {"date", run.date},
      {"machine",
       {{"cpu", run.machine.cpu},
        {"cores", run.machine.cores},
        {"memory_bytes", run.machine.memory_bytes},
        {"kernel", run.machine.kernel},
        {"page_bytes", run.machine.page_bytes},
        {"transparent_hugepages", run.machine.transparent_hugepages},
        {"l1d_bytes", run.machine.l1d_bytes},
        {"l2_bytes", run.machine.l2_bytes},
        {"l3_bytes", run.machine.l3_bytes}}},
      {"build",
       {{"compiler", run.build.compiler},
        {"flags", run.build.flags},
        {"build_type", run.build.build_type},
        {"assertions", run.build.assertions}}},
      {"mode", run.mode},
  };
  if (run.bench == "density") {
    object["scale"] = run.scale;
    object["leaves"] = run.leaves;
  }
  object["repetitions"] = run.repetitions;
  object["seed"] = run.seed;
  object["heaps"] = run.heaps;
  object["peers"] = peers;
  object["skipped"] = skipped;
  if (!run.parameters.empty()) object["parameters"] = write_parameters(run.parameters);
  object["malloc"] = run.malloc;
  return object.dump();
}

std::string to_line(const cell_result& cell) {
  json object = {
      {"kind", "cell"},
      {"bench", cell.bench},
      {"ds", cell.key.ds},
      {"size", cell.key.size},
      {"strategy", cell.key.strategy},
      {"peer", cell.key.peer},
      {"heap", cell.key.heap},
      {"mode", cell.mode},
      {"status", cell.ok() ? "ok" : "failed"},
  };
  if (!cell.ok()) {
    object["error"] = cell.error;
    return object.dump();
  }
  object["seconds"] = cell.seconds;
  object["median"] = cell.median;
  object["ci_low"] = cell.ci_low;
  object["ci_high"] = cell.ci_high;
  object["setup_seconds"] = cell.setup_seconds;
  object["rss_bytes"] = cell.rss_bytes;
  object["base_rss_bytes"] = cell.base_rss_bytes;
  object["minor_faults"] = cell.minor_faults;
  object["major_faults"] = cell.major_faults;
  object["leaves"] = cell.leaves;
  object["runs"] = cell.runs;
  object["checksum"] = cell.checksum;
  return object.dump();
}

std::string column_name(std::string_view strategy, std::string_view peer) {
  return fmt::format("{}@{}", strategy, peer);
}

}  // namespace mallard::lab
