#include "profile/result_json.hpp"

namespace mallard::profile {
namespace {

using json = nlohmann::ordered_json;

json number(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json to_json(const dimension& one) {
  return {{"literal", number(one.literal)}, {"scaled", number(one.scaled)}};
}

void add(json& out, const dimensions& dims) {
  out["D"] = to_json(dims.D);
  out["V"] = to_json(dims.V);
  out["L"] = to_json(dims.L);
  out["U"] = to_json(dims.U);
  out["C"] = to_json(dims.C);
  out["F"] = to_json(dims.F);
}

json pairs(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& counts, const char* what,
           const char* times) {
  json out = json::array();
  for (const auto& [value, count] : counts) out.push_back({{what, value}, {times, count}});
  return out;
}

json to_json(const window& one) {
  json out = {
      {"from_ns", one.from},         {"until_ns", one.until}, {"allocations", one.allocations},
      {"frees", one.frees},          {"bytes", one.bytes},    {"live_bytes", one.live_bytes},
      {"peak_bytes", one.peak_bytes}};
  out["D"] = to_json(one.dims.D);
  out["V"] = to_json(one.dims.V);
  out["U"] = to_json(one.dims.U);
  out["C"] = to_json(one.dims.C);
  out["F"] = to_json(one.dims.F);
  return out;
}

// Only non-empty cells: [log2 of bytes, log2 of ns, blocks].
json to_cells(const std::vector<std::vector<std::uint64_t>>& table) {
  json out = json::array();
  for (std::size_t size = 0; size < table.size(); ++size) {
    for (std::size_t life = 0; life < table[size].size(); ++life) {
      if (table[size][life] != 0) out.push_back({size, life, table[size][life]});
    }
  }
  return out;
}

json to_json(const subsystem& one) {
  json out = {{"name", one.name}};
  add(out, one.dims);
  out["total"] = to_json(one.total);
  out["cpu_ns"] = one.cpu_ns;
  out["heap_ns"] = one.heap_ns;
  out["allocation_ns"] = one.allocation_ns;
  out["unique_sizes"] = one.unique_sizes;
  out["effective_classes"] = one.effective_classes;
  out["slack_bytes"] = one.slack_bytes;
  out["threads"] = one.threads;
  out["epochs"] = {{"count", one.epochs.count},
                   {"median_bytes", one.epochs.median_bytes},
                   {"max_bytes", one.epochs.max_bytes}};
  out["layout"] = {
      {"page_diffusion", one.where.page_diffusion}, {"line_diffusion", one.where.line_diffusion},
      {"neighbours", one.where.neighbours},         {"page_purity", one.where.page_purity},
      {"kept_bytes", one.where.kept_bytes},         {"confidence", one.where.confidence}};
  out["sizes"] = pairs(one.sizes, "bytes", "allocations");
  out["lifetimes"] = pairs(one.lifetimes, "ns", "blocks");
  out["size_by_lifetime"] = to_cells(one.size_by_lifetime);
  out["windows"] = json::array();
  for (const window& row : one.windows) out["windows"].push_back(to_json(row));
  return out;
}

json to_json(const arena_scope& one) {
  json out = {{"function", one.function},
              {"module", one.module},
              {"marked", one.marked},
              {"trunk", one.trunk},
              {"threads", one.threads.size()},
              {"thread_ids", one.threads},
              {"invocations", one.invocations},
              {"by_instant", one.by_instant},
              {"blocks", one.blocks},
              {"dead_share", one.dead_share},
              {"bytes",
               {{"median", one.median_bytes},
                {"p99", one.p99_bytes},
                {"max", one.max_bytes},
                {"total", one.total_bytes}}},
              {"confidence", one.confidence}};
  out["bytes_counts"] = pairs(one.bytes_counts, "bytes", "invocations");
  json stacks = json::array();
  for (const survivor_stack& stack : one.survivor_stacks) {
    stacks.push_back({{"frames", stack.frames}, {"blocks", stack.blocks}, {"bytes", stack.bytes}});
  }
  out["survivor_blocks"] = one.survivors;
  out["survivors_guessed"] = one.survivors_guessed;
  out["survivors"] = std::move(stacks);
  out["kept_by"] = json::array();
  for (const keeping_function& by : one.kept_by) {
    out["kept_by"].push_back(
        {{"function", by.function}, {"blocks", by.blocks}, {"survivors", by.survivors}});
  }
  return out;
}

}  // namespace

json to_json(const dims_result& result) {
  json out = {{"version", 1},
              {"trace", result.trace},
              {"command", result.command},
              {"pid", result.pid},
              {"duration_ns", result.duration},
              {"complete", result.complete},
              {"problems", result.problems},
              {"not_recorded", result.not_recorded},
              {"threads", result.threads},
              {"dropped", result.dropped},
              {"waited_ns", result.waited_ns},
              {"cache_bytes", result.cache_bytes}};
  out["total"] = to_json(result.total);
  out["heap"] = to_json(result.heap);
  out["program"] = to_json(result.all);
  out["subsystems_by"] = result.subsystems_by;
  out["subsystems"] = json::array();
  for (const subsystem& one : result.subsystems) out["subsystems"].push_back(to_json(one));
  out["arena_scopes"] = json::array();
  for (const arena_scope& one : result.arena_scopes) out["arena_scopes"].push_back(to_json(one));
  return out;
}

json to_json(const heap_total& one) {
  return {{"allocations", one.allocations},
          {"frees", one.frees},
          {"reallocations", one.reallocations},
          {"failed", one.failed},
          {"bytes", one.bytes},
          {"peak_bytes", one.peak_bytes},
          {"peak_time_ns", one.peak_time},
          {"live_blocks", one.live_blocks},
          {"live_bytes", one.live_bytes},
          {"temporary", one.temporary},
          {"remote_frees", one.remote_frees},
          {"unknown_frees", one.unknown_frees},
          {"moved_bytes", one.moved_bytes}};
}

json to_json(const std::optional<heap_share>& share) {
  if (!share) return nullptr;
  return {{"share", share->share},
          {"low", share->low},
          {"high", share->high},
          {"looks", share->looks},
          {"measured", share->measured}};
}

std::optional<heap_share> heap_share_from(const json& from) {
  if (!from.is_object()) return std::nullopt;
  heap_share out;
  out.share = from.value("share", 0.0);
  out.low = from.value("low", 0.0);
  out.high = from.value("high", 0.0);
  out.looks = from.value("looks", std::uint64_t{0});
  out.measured = from.value("measured", false);
  return out;
}

json to_json(const site& one) {
  return {{"function", one.function},
          {"file", one.file},
          {"line", one.line},
          {"bytes", one.bytes},
          {"operations", one.operations},
          {"peak_bytes", one.peak_bytes},
          {"live_bytes", one.leaked_bytes},
          {"live_blocks", one.leaked_blocks},
          {"temporary", one.temporary},
          {"cpu_ns", one.cpu_ns}};
}

json to_json(const std::vector<site>& sites) {
  json out = json::array();
  for (const site& one : sites) out.push_back(to_json(one));
  return out;
}

}  // namespace mallard::profile
