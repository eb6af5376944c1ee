#include "profile/views/trace_views.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mallard::profile {
namespace {

constexpr std::uint64_t snapshots = 24;

// Joins the steps of stacks with one node.
std::vector<stack_step> by_nodes(std::vector<stack_step> steps,
                                 const std::vector<std::uint32_t>& node_of) {
  for (stack_step& one : steps) one.stack = node_of[one.stack];
  std::sort(steps.begin(), steps.end(), [](const stack_step& a, const stack_step& b) {
    return a.step != b.step ? a.step < b.step : a.stack < b.stack;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (kept > 0 && steps[kept - 1].step == steps[i].step &&
        steps[kept - 1].stack == steps[i].stack) {
      steps[kept - 1].bytes += steps[i].bytes;
      steps[kept - 1].operations += steps[i].operations;
      steps[kept - 1].growth += steps[i].growth;
      steps[kept - 1].growth_to_peak += steps[i].growth_to_peak;
    } else {
      steps[kept++] = steps[i];
    }
  }
  steps.resize(kept);
  return steps;
}

}  // namespace

view_maker::view_maker(const trace_reader& trace, const function_table& functions,
                       subsystem_map subsystems)
    : trace_(trace),
      functions_(functions),
      subsystems_(std::move(subsystems)),
      duration_(trace.last_time()),
      live_(subsystems_.names, duration_),
      history_(trace.stacks().size(), duration_),
      lifetimes_(history_.step_ns()),
      activity_(duration_),
      addresses_(subsystems_.names) {}

trace_views view_maker::take(const of_stacks<stack_weights>& weights, double least_share) {
  trace_views made;
  std::vector<std::uint32_t> node_of;
  made.stacks = make_stack_profile(trace_, functions_, weights, least_share, &node_of);
  made.history = by_nodes(history_.take(), node_of);
  made.step_ns = history_.step_ns();
  made.live = live_.finish();
  made.lifetimes = lifetimes_.finish();
  std::map<std::uint32_t, std::string> names;
  for (const auto& [id, thread] : trace_.facts().threads) names[id] = thread.name;
  made.activity = activity_.finish(names);
  made.addresses = addresses_.finish();
  return made;
}

void view_maker::next(const recorded& one) {
  while (snapshots_made_ < snapshots && one.what.time > next_snapshot()) snapshot();
}

void view_maker::operation(const recorded& one) {
  activity_.operation(one.thread, one.what.time);
  history_.operation(one.what.stack, one.what.time);
}

void view_maker::died(const recorded& one, const live_block& block, const block_end& how) {
  const std::uint64_t time = one.what.time;
  lifetimes_.died(block.bytes, block.born, time - std::min(time, block.born));
  live_.died(subsystem(block.stack), block.bytes, time);
  history_.died(block.stack, block.bytes, time);
  if (how.remote) activity_.remote_free(one.thread, time);
}

void view_maker::born(const recorded& one, const live_block& block) {
  live_.born(subsystem(block.stack), block.bytes, one.what.time);
  history_.born(block.stack, block.bytes, one.what.time);
}

void view_maker::outlived(const live_block& block) {
  lifetimes_.outlived(block.bytes, block.born);
}

void view_maker::end() {
  while (snapshots_made_ < snapshots) snapshot();
  blocks_ = nullptr;
}

std::uint64_t view_maker::next_snapshot() const {
  const std::uint64_t made = snapshots_made_ + 1;
  return made == snapshots ? duration_ : duration_ / snapshots * made;
}

void view_maker::snapshot() {
  addresses_.begin(next_snapshot());
  blocks_->for_each([&](const live_block& block) {
    addresses_.add(block.address, block.bytes, subsystem(block.stack));
  });
  addresses_.end();
  ++snapshots_made_;
}

}  // namespace mallard::profile
