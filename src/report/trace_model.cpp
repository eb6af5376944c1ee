#include "report/trace_model.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "lab/measuring/build.hpp"

namespace mallard::report {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_sites = 2000;

double seconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

json or_null(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

std::string end_text(const profile::end_info& end) {
  switch (end.how) {
    case profile::end_kind::exited:
      return fmt::format("exit status {}", end.status);
    case profile::end_kind::killed:
      return fmt::format("killed by signal {}", end.status);
    case profile::end_kind::replaced:
      return "became another program";
    case profile::end_kind::unknown:
      break;
  }
  return "";
}

std::string command_text(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

json recording(const profile::dims_result& dims, const profile::trace_facts& facts,
               const trace_file& file) {
  const auto& process = facts.process;
  const auto started = static_cast<std::time_t>(process.started / 1'000'000'000);
  return {{"command", command_text(process.command)},
          {"pid", process.pid},
          {"ended", end_text(facts.end)},
          {"started", process.started == 0
                          ? std::string("an unknown time")
                          : fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(started))},
          {"seconds", seconds(dims.duration)},
          {"events", file.events},
          {"trace_bytes", file.bytes},
          {"unwinder", process.unwinder.empty() ? std::string("not recorded") : process.unwinder},
          {"threads", dims.threads},
          {"waited_seconds", seconds(dims.waited_ns)},
          {"dropped", dims.dropped},
          {"version", std::string(lab::mallard_version())}};
}

json total(const profile::dims_result& dims) {
  const profile::heap_total& all = dims.total;
  return {{"allocations", all.allocations},
          {"frees", all.frees},
          {"reallocations", all.reallocations},
          {"bytes", all.bytes},
          {"peak_bytes", all.peak_bytes},
          {"live_blocks", all.live_blocks},
          {"leaked_bytes", all.live_bytes},
          {"temporary", all.temporary},
          {"remote_frees", all.remote_frees},
          {"moved_bytes", all.moved_bytes},
          {"density", or_null(dims.all.dims.D.scaled)},
          {"processor_seconds", seconds(dims.all.cpu_ns)}};
}

json dimension(const profile::dimension& one) {
  return {{"literal", or_null(one.literal)}, {"scaled", or_null(one.scaled)}};
}

json subsystems(const profile::dims_result& dims) {
  json all = json::array();
  for (const profile::subsystem& one : dims.subsystems) {
    const auto& d = one.dims;
    const auto& sum = one.total;
    all.push_back({{"name", one.name},
                   {"D", dimension(d.D)},
                   {"V", dimension(d.V)},
                   {"L", dimension(d.L)},
                   {"U", dimension(d.U)},
                   {"C", dimension(d.C)},
                   {"F", dimension(d.F)},
                   {"bytes", sum.bytes},
                   {"operations", sum.allocations + sum.frees + sum.reallocations},
                   {"peak_bytes", sum.peak_bytes}});
  }
  return all;
}

// Names said once: everything else says their numbers.
class name_list {
 public:
  std::size_t index(const std::string& name) {
    const auto [at, fresh] = indices_.try_emplace(name, all_.size());
    if (fresh) all_.push_back(name);
    return at->second;
  }
  json take() { return std::move(all_); }

 private:
  std::map<std::string, std::size_t> indices_;
  json all_ = json::array();
};

// Invocations by the power of two below their bytes, without gaps.
json histogram(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& counts) {
  std::map<unsigned, std::uint64_t> bins;
  for (const auto& [bytes, times] : counts) {
    bins[static_cast<unsigned>(std::bit_width(bytes))] += times;
  }
  json from = json::array();
  json sums = json::array();
  if (!bins.empty()) {
    for (unsigned bin = bins.begin()->first; bin <= bins.rbegin()->first; ++bin) {
      from.push_back(bin == 0 ? 0 : std::uint64_t{1} << (bin - 1));
      sums.push_back(bins.contains(bin) ? bins[bin] : 0);
    }
  }
  return {{"from", std::move(from)}, {"counts", std::move(sums)}};
}

json scopes(const profile::dims_result& dims, name_list& names) {
  json all = json::array();
  for (const profile::arena_scope& one : dims.arena_scopes) {
    json survivors = json::array();
    for (const profile::survivor_stack& stack : one.survivor_stacks) {
      json frames = json::array();
      for (const std::string& frame : stack.frames) frames.push_back(names.index(frame));
      survivors.push_back(
          {{"blocks", stack.blocks}, {"bytes", stack.bytes}, {"stack", std::move(frames)}});
    }
    const std::size_t slash = one.module.rfind('/');
    all.push_back({{"function", one.function},
                   {"where", one.marked ? "marked in the source" : one.module.substr(slash + 1)},
                   {"whole_program", one.trunk},
                   {"threads", one.threads.size()},
                   {"invocations", one.invocations},
                   {"dead_share", one.dead_share},
                   {"confidence", one.confidence},
                   {"by_instant", one.by_instant},
                   {"bytes",
                    {{"total", one.total_bytes},
                     {"median", one.median_bytes},
                     {"p99", one.p99_bytes},
                     {"max", one.max_bytes},
                     {"histogram", histogram(one.bytes_counts)}}},
                   {"survivors_blocks", one.survivors},
                   {"survivors", std::move(survivors)}});
  }
  return all;
}

json flame(const profile::stack_profile& shown, name_list& names) {
  json made = {{"parent", json::array()},   {"function", json::array()},
               {"bytes", json::array()},    {"operations", json::array()},
               {"seconds", json::array()},  {"leaked", json::array()},
               {"temporary", json::array()}};
  for (std::size_t at = 0; at < shown.nodes.size(); ++at) {
    const profile::profile_node& node = shown.nodes[at];
    made["parent"].push_back(node.parent);
    made["function"].push_back(at == 0 ? 0 : names.index(shown.functions[node.function].name));
    made["bytes"].push_back(node.own.bytes);
    made["operations"].push_back(node.own.operations);
    made["seconds"].push_back(seconds(node.own.nanoseconds));
    made["leaked"].push_back(node.own.leaked_bytes);
    made["temporary"].push_back(node.own.temporary);
  }
  return made;
}

json in_seconds(const std::vector<std::uint64_t>& times) {
  json all = json::array();
  for (const std::uint64_t time : times) all.push_back(seconds(time));
  return all;
}

json timeline(const profile::timeline& data) {
  json epochs = json::array();
  for (const profile::subsystem_epochs& one : data.epochs) {
    json from = json::array();
    json to = json::array();
    for (const profile::time_span& span : one.shown) {
      from.push_back(seconds(span.from));
      to.push_back(seconds(span.to));
    }
    epochs.push_back({{"count", one.count}, {"from", std::move(from)}, {"to", std::move(to)}});
  }
  return {{"seconds", in_seconds(data.times)},
          {"names", data.names},
          {"live", data.live},
          {"epochs", std::move(epochs)}};
}

json lifetimes(const profile::lifetime_map& data) {
  json lives = json::array();
  for (const auto& from : data.lives) lives.push_back(from ? json(seconds(*from)) : json(nullptr));
  return {{"sizes", data.sizes},
          {"lives", std::move(lives)},
          {"blocks", data.blocks},
          {"bytes", data.bytes}};
}

json activity(const profile::thread_activity& data) {
  return {{"threads", data.threads},
          {"seconds", in_seconds(data.times)},
          {"operations", data.operations},
          {"remote", data.remote}};
}

// Two characters for each cell: see report/src/trace/addresses.js.
std::string cells_text(const std::vector<profile::address_cell>& cells) {
  std::string text;
  text.reserve(2 * cells.size());
  for (const profile::address_cell& cell : cells) {
    if (cell.subsystem == profile::no_subsystem) {
      text += "..";
    } else {
      text += static_cast<char>('0' + cell.subsystem);
      text += static_cast<char>('0' + cell.tenths);
    }
  }
  return text;
}

json addresses(const profile::address_map& data) {
  json snapshots = json::array();
  for (const profile::address_snapshot& one : data.snapshots) {
    snapshots.push_back({{"seconds", seconds(one.time)},
                         {"live_bytes", one.live_bytes},
                         {"cells", cells_text(one.cells)}});
  }
  return {{"names", data.names},
          {"cell_bytes", data.cell_bytes},
          {"bases", data.bases},
          {"snapshots", std::move(snapshots)}};
}

std::string place_text(const profile::site& one) {
  return profile::where_text({one.function, {}, one.file, one.line});
}

json top(const std::vector<profile::site>& sites) {
  json all = json::array();
  for (std::size_t i = 0; i < std::min(sites.size(), most_sites); ++i) {
    const profile::site& one = sites[i];
    all.push_back({{"function", one.function},
                   {"where", place_text(one)},
                   {"bytes", one.bytes},
                   {"operations", one.operations},
                   {"peak", one.peak_bytes},
                   {"leaked", one.leaked_bytes},
                   {"temporary", one.temporary}});
  }
  return all;
}

json notes(const profile::dims_result& dims) {
  json all = json::array();
  if (dims.dropped > 0) {
    all.push_back(fmt::format("{} events were dropped: figures are too small.", dims.dropped));
  }
  if (!dims.not_recorded.empty()) {
    all.push_back(fmt::format("Not recorded: {}.", fmt::join(dims.not_recorded, ", ")));
  }
  for (const std::string& problem : dims.problems) all.push_back(problem);
  return all;
}

}  // namespace

json make_trace_model(const profile::dims_result& dims, const profile::trace_views& views,
                      const profile::trace_facts& facts, const trace_file& file) {
  name_list names;
  json arena_scopes = scopes(dims, names);
  json graph = flame(views.stacks, names);
  return {{"schema", 1},
          {"notes", notes(dims)},
          {"recording", recording(dims, facts, file)},
          {"total", total(dims)},
          {"subsystems", subsystems(dims)},
          {"arena_scopes", std::move(arena_scopes)},
          {"functions", names.take()},
          {"flame", std::move(graph)},
          {"timeline", timeline(views.live)},
          {"lifetimes", lifetimes(views.lifetimes)},
          {"activity", activity(views.activity)},
          {"addresses", addresses(views.addresses)},
          {"top", top(file.sites)}};
}

}  // namespace mallard::report
