#include "report/trace_model.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

#include "lab/measuring/build.hpp"
#include "profile/result_json.hpp"

namespace mallard::report {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_sites = 2000;

double seconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

std::string end_text(const profile::end_info& end) {
  switch (end.how) {
    case profile::end_kind::exited:
      return fmt::format("exit status {}", end.status);
    case profile::end_kind::killed:
      return fmt::format("killed by signal {}", end.status);
    case profile::end_kind::replaced:
      return "became another program";
    case profile::end_kind::went_on:
      return "went on after the recording";
    case profile::end_kind::unknown:
      break;
  }
  return "";
}

json recording(const profile::trace_facts& facts, const trace_file& file) {
  const auto& process = facts.process;
  const auto started = static_cast<std::time_t>(process.started / 1'000'000'000);
  return {{"ended", end_text(facts.end)},
          {"started", process.started == 0
                          ? std::string("an unknown time")
                          : fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(started))},
          {"events", file.events},
          {"trace_bytes", file.bytes},
          {"unwinder", process.unwinder.empty() ? std::string("not recorded") : process.unwinder},
          {"version", std::string(lab::mallard_version())}};
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

double rounded(double figure) {
  return std::round(figure * 1000) / 1000;
}

// A column for each figure of the windows that the page sums up; of dimensions the scaled figure.
json columns_of(const json& windows) {
  json made = json::object();
  for (const char* name : {"allocations", "frees", "bytes", "peak_bytes"}) {
    for (const json& one : windows) made[name].push_back(one[name]);
  }
  for (const char* name : {"D", "V", "U", "C", "F"}) {
    for (const json& one : windows) {
      const json& scaled = one[name]["scaled"];
      made[name].push_back(scaled.is_null() ? json(nullptr) : json(rounded(scaled.get<double>())));
    }
  }
  return made;
}

// The output of `mallard dims --json`, in its words, without what the page does not draw; frames of
// survivors are numbers of functions, bytes of invocations are sums by powers of two, and windows
// are columns.
json result(const profile::dims_result& dims, name_list& names) {
  json made = profile::to_json(dims);
  made.erase("version");
  const auto trim = [](json& subsystem) {
    for (const char* member : {"sizes", "lifetimes", "size_by_lifetime"}) subsystem.erase(member);
    subsystem["windows"] = columns_of(subsystem["windows"]);
  };
  trim(made["program"]);
  made["program"].erase("windows");
  for (json& one : made["subsystems"]) trim(one);
  for (std::size_t i = 0; i < dims.arena_scopes.size(); ++i) {
    json& scope = made["arena_scopes"][i];
    scope.erase("bytes_counts");
    scope["bytes"]["histogram"] = histogram(dims.arena_scopes[i].bytes_counts);
    for (json& stack : scope["survivors"]) {
      for (json& frame : stack["frames"]) frame = names.index(frame.get<std::string>());
    }
  }
  return made;
}

struct flame_weight {
  const char* name;
  std::uint64_t profile::stack_weights::* value;
};
// Named as the sums of `mallard top --json`.
constexpr flame_weight flame_weights[] = {
    {"peak_bytes", &profile::stack_weights::peak_bytes},
    {"bytes", &profile::stack_weights::bytes},
    {"operations", &profile::stack_weights::operations},
    {"cpu_ns", &profile::stack_weights::nanoseconds},
    {"live_bytes", &profile::stack_weights::leaked_bytes},
    {"temporary", &profile::stack_weights::temporary},
};

json flame(const profile::stack_profile& shown, name_list& names) {
  json made = {{"parent", json::array()}, {"function", json::array()}};
  for (const flame_weight& weight : flame_weights) made[weight.name] = json::array();
  for (std::size_t at = 0; at < shown.nodes.size(); ++at) {
    const profile::profile_node& node = shown.nodes[at];
    made["parent"].push_back(node.parent);
    made["function"].push_back(at == 0 ? 0 : names.index(shown.functions[node.function].name));
    for (const flame_weight& weight : flame_weights) {
      made[weight.name].push_back(node.own.*weight.value);
    }
  }
  return made;
}

// For each step of time the rows of what happened in it, by columns, which are shorter. `values_of`
// gives a row's values in the order of the names.
template <class Row, class ValuesOf>
json by_step(const std::vector<Row>& rows, std::initializer_list<const char*> names,
             const ValuesOf& values_of) {
  json steps = json::array();
  for (const Row& one : rows) {
    while (steps.size() <= one.step) {
      json& fresh = steps.emplace_back(json::object());
      for (const char* const name : names) fresh[name] = json::array();
    }
    json& step = steps[one.step];
    auto name = names.begin();
    for (json& value : values_of(one)) step[*name++].push_back(std::move(value));
  }
  return steps;
}

// The nodes of the flame graph with which anything happened.
json history(const profile::trace_views& views) {
  json steps = by_step(views.history, {"node", "bytes", "operations", "growth", "growth_to_peak"},
                       [](const profile::stack_step& one) {
                         return std::array<json, 5>{one.stack, one.bytes, one.operations,
                                                    one.growth, one.growth_to_peak};
                       });
  return {{"step_seconds", seconds(views.step_ns)}, {"steps", std::move(steps)}};
}

json in_seconds(const std::vector<std::uint64_t>& times) {
  json all = json::array();
  for (const std::uint64_t time : times) all.push_back(seconds(time));
  return all;
}

json timeline(const profile::timeline& data, const profile::trace_facts& facts) {
  json resident = {{"seconds", json::array()}, {"bytes", json::array()}};
  for (const profile::resident_sample& one : facts.resident) {
    resident["seconds"].push_back(seconds(one.time));
    resident["bytes"].push_back(one.bytes);
  }
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
          {"resident", std::move(resident)},
          {"epochs", std::move(epochs)}};
}

json lifetimes(const profile::lifetime_map& data) {
  json lives = json::array();
  for (const auto& from : data.lives) lives.push_back(from ? json(seconds(*from)) : json(nullptr));
  json steps = by_step(data.steps, {"row", "column", "blocks", "bytes"},
                       [](const profile::lifetime_step& one) {
                         return std::array<json, 4>{one.row, one.column, one.blocks, one.bytes};
                       });
  return {{"sizes", data.sizes},
          {"lives", std::move(lives)},
          {"blocks", data.blocks},
          {"bytes", data.bytes},
          {"steps", std::move(steps)}};
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
    all.push_back(profile::to_json(sites[i]));
    all.back()["where"] = place_text(sites[i]);
    for (const char* member : {"file", "line"}) all.back().erase(member);
  }
  return all;
}

json notes(const profile::dims_result& dims) {
  json all = json::array();
  if (dims.dropped > 0) {
    all.push_back(fmt::format("{} events were lost, so figures are too small.", dims.dropped));
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
  json made = {{"schema", 2}, {"notes", notes(dims)}, {"recording", recording(facts, file)}};
  made.update(result(dims, names));
  made["flame"] = flame(views.stacks, names);
  made["functions"] = names.take();
  made["history"] = history(views);
  made["timeline"] = timeline(views.live, facts);
  made["lifetimes"] = lifetimes(views.lifetimes);
  made["activity"] = activity(views.activity);
  made["addresses"] = addresses(views.addresses);
  made["top"] = top(file.sites);
  return made;
}

json make_difference_model(const json& difference, const profile::stack_profile& before,
                           const profile::stack_profile& after) {
  name_list names;
  json made = {{"schema", 2},
               {"made_by", {{"version", std::string(lab::mallard_version())}}},
               {"difference", difference}};
  made["flames"]["before"] = flame(before, names);
  made["flames"]["after"] = flame(after, names);
  made["functions"] = names.take();
  return made;
}

}  // namespace mallard::report
