#include "profile/analysis.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "profile/arena_loops.hpp"
#include "profile/arena_scopes.hpp"
#include "profile/density.hpp"
#include "profile/mark_tracker.hpp"
#include "profile/measurement.hpp"
#include "profile/survey.hpp"
#include "profile/trace/lacks.hpp"

namespace mallard::profile {
namespace {

// Turns scopes marked in the source into arena scopes, without a judgement.
std::vector<arena_scope> marked_scopes(const mark_tracker& marks, const trace_reader& trace,
                                       const function_table& functions) {
  std::vector<arena_scope> out;
  for (const auto& [name, sum] : marks.sums()) {
    arena_scope one;
    one.function = name_of(trace.facts(), name_kind::scope, name);
    one.marked = true;
    one.blocks = sum.born.blocks;
    one.total_bytes = sum.born.bytes;
    for (const auto& [stack, blocks] : sum.survivors) one.survivors += blocks.blocks;
    describe_calls(one, sum.invocations, {sum.survivors.begin(), sum.survivors.end()}, trace,
                   functions);
    one.dead = one.blocks - std::min(one.blocks, one.survivors);
    one.dead_share =
        one.blocks == 0 ? 1 : static_cast<double>(one.dead) / static_cast<double>(one.blocks);
    one.confidence = "high";
    out.push_back(std::move(one));
  }
  return out;
}

// Scopes where an arena would pay come first.
void rank(std::vector<arena_scope>& scopes) {
  const auto order = [](const arena_scope& one) {
    return std::tuple(one.trunk, one.dead_share < arena_share, UINT64_MAX - one.total_bytes,
                      one.marked, one.function);
  };
  std::sort(scopes.begin(), scopes.end(),
            [&](const arena_scope& a, const arena_scope& b) { return order(a) < order(b); });
}

// Whether some of what look like single invocations may be many, because blocks are kept between
// them: they hold at least half of all bytes, or far more than others, and some blocks survive.
// `ends_early`: the recording does, and an invocation that has not ended has no survivors yet.
bool seems_to_go_on(const arena_scope& one, double least_dead, bool ends_early) {
  constexpr std::uint64_t far_more = 4;
  const bool is_most = 2 * one.max_bytes >= one.total_bytes;
  const bool may_be_many = one.survivors > 0
                               ? is_most || one.max_bytes >= far_more * one.median_bytes
                               : is_most && ends_early;
  return may_be_many && !one.root && one.dead_share >= least_dead;
}

// The time of an operation: the mean of the timed ones, because a few slow ones may take as long
// together as many fast ones. The slowest 0.5 % are left out, since the thread was interrupted in
// them. The reading of the clock is subtracted, because it may take longer than the operation.
double typical_ns(const number_counts& costs, const process_info& process) {
  constexpr double interrupted = 1.0 / 200;
  if (costs.count() == 0) return 0;
  const double clock = static_cast<double>(process.clock_ps) / 1000;
  return std::max(1.0, costs.mean_without(interrupted) - clock);
}

meter_setting setting_of(const trace_reader& trace, const analysis_options& options,
                         const survey& first) {
  const process_info& process = trace.facts().process;
  meter_setting out;
  out.from = std::max(options.part.from, trace.first_time());
  out.until = std::max(out.from, std::min(options.part.until, trace.last_time()));
  out.windows = lacks(process, "times") ? 0 : options.windows;
  out.allocation_ns = typical_ns(first.allocation_costs, process);
  out.free_ns = typical_ns(first.free_costs, process);
  out.cpu_sample_ns = process.cpu_sample_ns;
  // A damaged trace may contain any value.
  out.page_bytes = std::clamp<std::uint64_t>(process.page_bytes, 64, std::uint64_t{1} << 30);
  out.line_bytes = std::clamp<std::uint64_t>(process.line_bytes, 1, out.page_bytes);
  out.has_threads = !lacks(process, "threads");
  out.has_addresses = !lacks(process, "addresses");
  return out;
}

}  // namespace

trace_analysis::trace_analysis(trace_reader& trace, const function_table& functions,
                               const analysis_options& options)
    : trace_(trace), options_(options), loads_(0) {
  survey first(trace, functions);
  first.read(trace, options.part);
  std::vector<arena_scope> scopes = find_arena_scopes(*first.invocations, first.loads, trace,
                                                      functions, options.scopes_asked_for);
  // If scopes were asked for, their invocations are counted whether or not an arena would suit
  // them.
  const double least_dead = options.scopes_asked_for.empty() ? arena_share : 0.5;
  const bool ends_early = trace.facts().end.is_early();
  if (std::any_of(scopes.begin(), scopes.end(), [&](const arena_scope& one) {
        return seems_to_go_on(one, least_dead, ends_early);
      })) {
    first.invocations.reset();
    result_.kept_blocks = std::move(first.lasting);
    invocation_survey again(trace, functions, result_.kept_blocks);
    again.read(trace, options.part);
    first.invocations = std::move(again.invocations);
    scopes = find_arena_scopes(*first.invocations, first.loads, trace, functions,
                               options.scopes_asked_for);
  }
  if (options.loops) result_.loops = loops(first, scopes, functions);
  result_.total = first.total;
  result_.not_recorded = trace.facts().process.not_recorded;
  if (functions.any_is_cut()) result_.not_recorded.push_back(outer_frames);
  if (trace.facts().process.sample_stacks != 1) result_.not_recorded.push_back(most_stacks);
  result_.arena_scopes = marked_scopes(first.marks, trace, functions);
  std::move(scopes.begin(), scopes.end(), std::back_inserter(result_.arena_scopes));
  rank(result_.arena_scopes);
  first.invocations.reset();  // frees memory: with many stacks the tracker is large
  setting_ = setting_of(trace, options, first);
  loads_ = std::move(first.loads);
  of_stack_ = subsystems_of_stacks(options.subsystems, trace, functions, loads_,
                                   result_.arena_scopes, names_);
  bytes_.resize(names_.names().size());
  for (std::uint32_t stack = 0; stack < of_stack_.size(); ++stack) {
    bytes_[of_stack_[stack]] += loads_.of(stack).bytes;
  }
}

// Blocks that main keeps all the time hide its loops. If scopes and loops explain fewer than half
// of the blocks, the trace is read again, and lasting blocks are ignored.
std::vector<arena_loop> trace_analysis::loops(const survey& first,
                                              const std::vector<arena_scope>& scopes,
                                              const function_table& functions) {
  std::vector<arena_loop> out = find_arena_loops(*first.invocations, trace_, functions);
  std::uint64_t known = 0;
  for (const arena_loop& one : out) known += one.blocks;
  for (const arena_scope& one : scopes) known += one.trunk || one.root ? 0 : one.blocks;
  const bool are_ignored = !result_.kept_blocks.empty();
  if (are_ignored || 2 * known >= first.total.allocations || !first.total.allocations) return out;
  invocation_survey again(trace_, functions, first.lasting);
  again.read(trace_, options_.part);
  return find_arena_loops(*again.invocations, trace_, functions);
}

subsystem_map trace_analysis::shown_subsystems(std::size_t most) const {
  const auto& names = names_.names();
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(bytes_[b], names[a]) < std::tie(bytes_[a], names[b]);
  });
  while (!order.empty() && bytes_[order.back()] == 0) order.pop_back();
  if (order.size() > most) order.resize(most);
  subsystem_map made;
  std::vector<std::uint16_t> place(names.size(), static_cast<std::uint16_t>(order.size()));
  for (const std::uint32_t id : order) {
    place[id] = static_cast<std::uint16_t>(made.names.size());
    made.names.push_back(names[id]);
  }
  made.names.push_back("others");
  for (const std::uint16_t id : of_stack_) made.of_stack.push_back(place[id]);
  return made;
}

dims_result trace_analysis::finish(std::span<block_watcher* const> also) {
  dims_result out = std::move(result_);
  const trace_facts& facts = trace_.facts();
  out.command = facts.process.command;
  out.pid = facts.process.pid;
  out.duration = setting_.until - setting_.from;
  out.threads = facts.threads.size();
  out.cache_bytes = facts.process.cache_bytes;
  for (const auto& [thread, loss] : facts.losses) {
    out.waited_ns += loss.waited_ns;
  }
  measurement second(trace_, options_.subsystems.by, setting_, of_stack_, names_);
  second.read(trace_, options_.part, out.total.peak_bytes, also);
  second.finish(out);
  out.all.total = out.total;
  if (out.heap) take_heap_share(out, *out.heap);
  out.subsystems_by = name_of(options_.subsystems.by);
  out.dropped = trace_.dropped();
  out.complete = trace_.is_whole();
  out.problems = trace_.problems();
  return out;
}

dims_result analyse(trace_reader& trace, const function_table& functions,
                    const analysis_options& options) {
  return trace_analysis(trace, functions, options).finish();
}

}  // namespace mallard::profile
