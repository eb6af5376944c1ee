// Everything that a report shows of a trace besides its dimensions: a watcher of its blocks.
//
//   trace_analysis analysis(trace, functions, {});
//   view_maker views(trace, functions, analysis.shown_subsystems(7));
//   site_counter sites(trace, functions);
//   block_watcher* also[] = {&views, &sites};
//   analysis.finish(also);
//   const trace_views made = views.take(sites.weights());
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/block_stream.hpp"
#include "profile/functions.hpp"
#include "profile/of_stacks.hpp"
#include "profile/subsystem_rules.hpp"
#include "profile/trace/trace_reader.hpp"
#include "profile/views/activity.hpp"
#include "profile/views/address_map.hpp"
#include "profile/views/lifetimes.hpp"
#include "profile/views/stack_history.hpp"
#include "profile/views/stack_profile.hpp"
#include "profile/views/stack_tree.hpp"
#include "profile/views/timeline.hpp"

namespace mallard::profile {

// Nodes of a flame graph with a smaller share of every weight are invisible at any page width.
inline constexpr double least_drawn_share = 1.0 / 4000;

struct trace_views {
  stack_profile stacks;
  std::vector<stack_step> history;  // by nodes of `stacks`, not by stacks
  std::uint64_t step_ns = 0;        // the length of a step
  timeline live;
  lifetime_map lifetimes;
  thread_activity activity;
  address_map addresses;
};

// Memory: two bytes for each stack, and the views' own.
class view_maker final : public block_watcher {
 public:
  // `trace` and `functions` must outlive it.
  view_maker(const trace_reader& trace, const function_table& functions, subsystem_map subsystems);

  // Call it once, at the end. `weights`: by stack; parts with less than `least_share` of everything
  // are summed up, see make_stack_profile().
  trace_views take(const of_stacks<stack_weights>& weights, double least_share = 0);

  void begin(const live_table<live_block>& live) override { blocks_ = &live; }
  void next(const recorded& one) override;
  void operation(const recorded& one) override;
  void died(const recorded& one, const live_block& block, const block_end& how) override;
  void born(const recorded& one, const live_block& block) override;
  void outlived(const live_block& block) override;
  void end() override;
  void at_peak() override {}
  void sample(const recorded&) override {}

 private:
  std::uint64_t next_snapshot() const;
  void snapshot();
  std::uint32_t subsystem(std::uint32_t stack) const { return subsystems_.of_stack[stack]; }

  const trace_reader& trace_;
  const function_table& functions_;
  subsystem_map subsystems_;
  std::uint64_t duration_;
  std::uint64_t snapshots_made_ = 0;
  const live_table<live_block>* blocks_ = nullptr;
  timeline_builder live_;
  stack_history_builder history_;
  lifetime_builder lifetimes_;
  activity_builder activity_;
  address_map_builder addresses_;
};

}  // namespace mallard::profile
