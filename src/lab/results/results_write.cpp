#include <fmt/format.h>

#include "lab/results/cell_json.hpp"
#include "lab/results/results.hpp"

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
  object["repetitions"] = run.repetitions;
  object["seed"] = run.seed;
  object["heaps"] = run.heaps;
  object["peers"] = peers;
  object["skipped"] = skipped;
  if (!run.parameters.empty()) object["parameters"] = to_json(run.parameters);
  object["malloc"] = run.malloc;
  for (const auto& [name, words] : run.benches) object["benches"][name] = to_json(words);
  return object.dump();
}

}  // namespace mallard::lab
