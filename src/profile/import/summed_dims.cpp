#include "profile/import/summed_dims.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "profile/function_names.hpp"
#include "profile/name_pattern.hpp"

namespace mallard::profile {
namespace {

constexpr double least_share = 0.02;
constexpr double children_share = 0.9;
constexpr const char* the_rest = "(other)";

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// Groups the nodes of the tree; nodes come after their callers. For grouping::found it cuts the
// tree at heavy nodes: those with 2 % of the bytes or allocations, with everything below. From the
// root outwards, a heavy node becomes a subsystem unless its heavy children hold 90 % of its bytes
// and of its allocations; then the children are tried instead. Other nodes belong to their callers'
// group.
class grouper {
 public:
  grouper(const summed_profile& from, const subsystem_options& options)
      : from_(from), nodes_(from.stacks.nodes), options_(options) {
    for (const auto& rule : options.rules) patterns_.emplace_back(rule.second);
    sums_ = nodes_;
    for (std::size_t id = nodes_.size(); id-- > 1;) sums_[nodes_[id].parent].own += sums_[id].own;
  }

  std::vector<std::string> names() {
    std::vector<std::string> out(nodes_.size(), the_rest);
    if (options_.by == grouping::found) find_cuts();
    for (std::uint32_t id = 1; id < nodes_.size(); ++id) {
      const std::string& above = out[nodes_[id].parent];
      switch (options_.by) {
        case grouping::found:
          out[id] = cut_.contains(id) ? short_name(function(id).name) : above;
          break;
        case grouping::rules:
          out[id] = rule_of(id, above);
          break;
        case grouping::module:
          out[id] = function(id).module.empty() ? above : file_name(function(id).module);
          break;
        case grouping::name_space:
          out[id] = is_own(id) ? namespace_of(function(id).name) : above;
          if (out[id].empty()) out[id] = "(global)";
          break;
        case grouping::function:
          out[id] = is_own(id) ? short_name(function(id).name) : above;
          break;
        default:
          throw std::invalid_argument("sums by stack have no threads, scopes or resources");
      }
    }
    return out;
  }

 private:
  const function_name& function(std::uint32_t id) const {
    return from_.stacks.functions[nodes_[id].function];
  }
  bool is_own(std::uint32_t id) const {
    const std::string& name = function(id).name;
    return !is_nameless(name) && !is_start_of_thread(name) &&
           !short_name(name).starts_with("std::");
  }

  std::string rule_of(std::uint32_t id, const std::string& above) const {
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      const std::string& name = options_.rules[i].first;
      if (above == name || patterns_[i].is_in(function(id).name)) return name;
    }
    return above;
  }

  bool is_heavy(std::uint32_t id) const {
    return share(sums_[id].own.bytes, sums_[0].own.bytes) >= least_share ||
           share(sums_[id].own.allocations, sums_[0].own.allocations) >= least_share;
  }

  // Cuts at nodes with enough of the whole, unless the heavy nodes below have nearly all of it.
  void find_cuts() {
    std::map<std::uint32_t, stack_weights> below;
    for (std::uint32_t id = 1; id < nodes_.size(); ++id) {
      if (is_heavy(id)) below[nodes_[id].parent] += sums_[id].own;
    }
    std::vector<bool> inside(nodes_.size());
    for (std::uint32_t id = 1; id < nodes_.size(); ++id) {
      inside[id] = inside[nodes_[id].parent];
      if (inside[id] || !is_heavy(id) || !is_own(id) || function(id).name == "main") continue;
      const stack_weights& heavy = below[id];
      const bool go_on = share(heavy.bytes, sums_[id].own.bytes) >= children_share &&
                         share(heavy.allocations, sums_[id].own.allocations) >= children_share;
      if (go_on) continue;
      cut_.emplace(id, true);
      inside[id] = true;
    }
  }

  const summed_profile& from_;
  const std::vector<profile_node>& nodes_;
  const subsystem_options& options_;
  std::vector<name_pattern> patterns_;
  std::vector<profile_node> sums_;  // with everything below
  std::map<std::uint32_t, bool> cut_;
};

void add(subsystem& to, const stack_weights& own, std::uint64_t at_peak) {
  to.total.allocations += own.allocations;
  to.total.frees += own.allocations - std::min(own.allocations, own.leaked_blocks);
  to.total.bytes += own.bytes;
  to.total.peak_bytes += at_peak;
  to.total.live_blocks += own.leaked_blocks;
  to.total.live_bytes += own.leaked_bytes;
}

// U is known only for the whole program: a subsystem's peak may be at another time.
void measure(subsystem& one, bool whole, std::size_t subsystems) {
  if (one.total.allocations == 0) return;
  if (whole) one.dims.U.literal = share(one.total.peak_bytes, one.total.bytes);
  one.dims.F.literal = subsystems > 1 && one.total.allocations > 1 ? 1.0 : 0.0;
}

}  // namespace

dims_result dims_of(const summed_profile& from, const subsystem_options& options) {
  dims_result out;
  out.command = {from.command};
  out.not_recorded = from.not_recorded;
  const std::vector<std::string> names = grouper(from, options).names();
  std::map<std::string, subsystem> made;
  for (std::uint32_t id = 0; id < names.size(); ++id) {
    const stack_weights& own = from.stacks.nodes[id].own;
    if (!own.any()) continue;
    subsystem& one = made[names[id]];
    one.name = names[id];
    add(one, own, 0);
    add(out.all, own, own.peak_bytes);
  }
  for (auto& [name, one] : made) {
    measure(one, false, made.size());
    out.subsystems.push_back(std::move(one));
  }
  std::sort(out.subsystems.begin(), out.subsystems.end(),
            [](const subsystem& a, const subsystem& b) {
              return std::tie(b.total.bytes, a.name) < std::tie(a.total.bytes, b.name);
            });
  measure(out.all, true, 1);
  out.all.dims.F = {};
  out.total = out.all.total;
  out.subsystems_by = name_of(options.by);
  return out;
}

}  // namespace mallard::profile
