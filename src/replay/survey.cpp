#include "replay/survey.hpp"

#include <algorithm>
#include <map>

#include "profile/block_stream.hpp"
#include "profile/number_counts.hpp"
#include "replay/think.hpp"

namespace mallard::replay {
namespace {

using profile::event;
using profile::event_kind;
using profile::recorded;

struct lifetime {
  std::uint64_t first = UINT64_MAX;
  std::uint64_t last = 0;
};

bool is_operation(const recorded& one) {
  return !one.sample && one.what.kind <= event_kind::reallocate &&
         one.what.function != profile::resource_function;
}

// Threads that did not live at the same time share a lane, assigned in the order of their starts.
void find_lanes(profile::trace_reader& trace, trace_survey& survey) {
  std::map<std::uint32_t, lifetime> threads;
  auto events = trace.events();
  for (recorded one; events.next(one);) {
    if (!is_operation(one)) continue;
    lifetime& mine = threads[one.thread];
    mine.first = std::min(mine.first, one.what.time);
    mine.last = std::max(mine.last, one.what.time);
  }
  std::vector<std::pair<lifetime, std::uint32_t>> order;
  for (const auto& [thread, life] : threads) order.push_back({life, thread});
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.first, a.second) < std::pair(b.first.first, b.second);
  });
  std::vector<std::uint64_t> ends;  // of the lanes
  for (const auto& [life, thread] : order) {
    const std::uint64_t first = life.first;
    auto free =
        std::find_if(ends.begin(), ends.end(), [=](std::uint64_t end) { return end < first; });
    if (free == ends.end()) free = ends.insert(ends.end(), 0);
    *free = life.last;
    if (thread >= survey.lane_of_thread.size()) survey.lane_of_thread.resize(thread + 1u);
    survey.lane_of_thread[thread] = static_cast<std::uint32_t>(free - ends.begin());
  }
  survey.lanes = static_cast<std::uint32_t>(std::max<std::size_t>(ends.size(), 1));
}

struct surveyed_block : profile::live_block {
  std::uint64_t birth = 0;
  std::uint32_t lane = 0;
};

class surveyor : public profile::block_handler {
 public:
  surveyor(const profile::trace_reader& trace, trace_survey& survey) : survey_(survey) {
    survey_.births_of_stack.resize(trace.stacks().size());
  }

  void operation(const recorded& one) {
    const bool is_free = one.what.kind == event_kind::free;
    if (one.what.cost != 0) (is_free ? free_costs : allocation_costs).add(one.what.cost);
    ++(is_free ? frees : allocations);
  }
  void died(const recorded& one, const surveyed_block& old, const profile::block_end& how) {
    --live_blocks_;
    live_bytes_ -= old.bytes;
    if (how.why == profile::block_end::cause::not_recorded) return;
    if (lane(one) != old.lane) survey_.handed[old.birth] = true;
    survey_.operations += how.why == profile::block_end::cause::freed;
  }
  void born(const recorded& one, surveyed_block& fresh) {
    ++survey_.operations;
    if (one.what.kind == event_kind::allocate) {
      ++survey_.births_of_stack[fresh.stack];
      keep_size(fresh.bytes);
    }
    fresh.birth = survey_.handed.size();
    fresh.lane = lane(one);
    survey_.handed.push_back(false);
    ++live_blocks_;
    live_bytes_ += fresh.bytes;
    survey_.peak_blocks = std::max(survey_.peak_blocks, live_blocks_);
    survey_.peak_bytes = std::max(survey_.peak_bytes, live_bytes_);
  }

  profile::number_counts allocation_costs, free_costs;
  std::uint64_t allocations = 0, frees = 0;

 private:
  std::uint32_t lane(const recorded& one) const { return survey_.lane_of_thread[one.thread]; }

  // Keeps every n-th size, so that they are from all of the recording.
  void keep_size(std::uint64_t bytes) {
    constexpr std::size_t most = 8192;
    if (allocations % stride_ != 0) return;
    auto& sizes = survey_.sample_sizes;
    sizes.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX)));
    if (sizes.size() < most) return;
    for (std::size_t i = 0; i < most / 2; ++i) sizes[i] = sizes[2 * i];
    sizes.resize(most / 2);
    stride_ *= 2;
  }

  trace_survey& survey_;
  std::uint64_t live_blocks_ = 0;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t stride_ = 1;
};

// Returns: the factor by which all gaps together last as long as the operations; at most 1.
double scale_of_gaps(profile::trace_reader& trace, const trace_survey& survey,
                     const surveyor& counts) {
  constexpr double usual_ns = 20;
  gap_meter gaps(survey.allocation_ns, survey.free_ns);
  double together = 0;
  auto events = trace.events();
  for (recorded one; events.next(one);) {
    if (is_operation(one)) together += gaps.before(one);
  }
  const auto cost = [&](double measured) { return measured > 0 ? measured : usual_ns; };
  const double operations = static_cast<double>(counts.allocations) * cost(survey.allocation_ns) +
                            static_cast<double>(counts.frees) * cost(survey.free_ns);
  return together > operations ? operations / together : 1;
}

}  // namespace

std::uint32_t gap_meter::before(const recorded& one) {
  last_operation& last = last_[one.thread];
  const bool is_free = one.what.kind == event_kind::free;
  std::uint64_t gap = last.there ? one.what.time - last.time : 0;
  // An allocation's time is its end, a free's its beginning.
  const std::uint64_t own = (is_free ? 0 : allocation_ns_) + (last.is_free ? free_ns_ : 0);
  gap = gap > own ? gap - own : 0;
  last = {one.what.time, is_free, true};
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(gap, thinker::longest_ns));
}

trace_survey survey_trace(profile::trace_reader& trace, const decode_options& options) {
  trace_survey survey;
  find_lanes(trace, survey);
  if (options.one_lane) {
    survey.lane_of_thread.assign(survey.lane_of_thread.size(), 0);
    survey.lanes = 1;
  }
  surveyor found(trace, survey);
  profile::block_stream<surveyed_block>(trace).run(trace.events(), found);
  survey.allocation_ns = static_cast<double>(found.allocation_costs.quantile(0.5));
  survey.free_ns = static_cast<double>(found.free_costs.quantile(0.5));
  if (options.think == think_time::scaled) {
    survey.think_scale = scale_of_gaps(trace, survey, found);
  }
  return survey;
}

}  // namespace mallard::replay
