#include "profile/survey.hpp"

#include <algorithm>
#include <utility>

#include "profile/trace/lacks.hpp"

namespace mallard::profile {

namespace {

const std::vector<bool> none_kept;

}  // namespace

invocation_survey::invocation_survey(const trace_reader& trace, const function_table& functions,
                                     const std::vector<bool>& kept)
    : invocations(std::make_unique<invocation_tracker>(trace.stacks(), functions)), kept_(kept) {
  for (const auto& [id, thread] : trace.facts().threads) {
    if (thread.ended != UINT64_MAX) ends_.emplace(thread.ended, id);
  }
  if (!ends_.empty()) next_end_ = ends_.begin()->first;
}

std::uint64_t invocation_survey::end_of(const trace_reader& trace, const selection& part) {
  const end_info& end = trace.facts().end;
  return end.is_early() && end.time != 0 ? std::min(part.until, end.time) : part.until;
}

void invocation_survey::begin(const trace_reader& trace, const selection& part) {
  const end_info& end = trace.facts().end;
  until_ = end_of(trace, part);
  // A killed program returned from nothing then, though its threads have an end, too.
  if (end.how == end_kind::killed) until_ = std::min(until_, trace.last_time() + 1);
  exits_ = end.how == end_kind::exited && end.time < until_;
  if (part.from > 0 || lacks(trace.facts().process, the_start)) invocations->begin_late();
}

void invocation_survey::operation(const recorded& one) {
  const event& what = one.what;
  if (what.stack == 0) return;
  invocations->arrive(one.thread, what.stack,
                      what.kind == event_kind::free || what.old_address != 0);
}

void invocation_survey::died(const recorded& one, const surveyed_block& block,
                             const block_end& how) {
  // An unrecorded free happened some time before this, at an unknown place.
  const bool seen = how.why != block_end::cause::not_recorded;
  if (block.stack != 0) {
    invocations->death(block.at, block.bytes, one.thread, seen ? one.what.stack : 0);
  }
}

void invocation_survey::born(const recorded& one, surveyed_block& block) {
  block.tag = births_++;
  if (block.stack == 0) return;
  const bool kept = block.tag < kept_.size() && kept_[block.tag];
  block.at = invocations->birth(one.thread, block.stack, block.bytes, kept);
}

// Blocks that live when the reading ends have not survived functions that are still open.
void invocation_survey::stop() {
  if (stopped_) return;
  stopped_ = true;
  end_threads(until_);
  if (exits_) invocations->finish();
}

void invocation_survey::outlived(const surveyed_block& block) {
  stop();
  if (block.stack != 0) invocations->never(block.at, block.bytes);
}

void invocation_survey::end_threads(std::uint64_t before) {
  while (!ends_.empty() && ends_.begin()->first < before) {
    invocations->thread_ended(ends_.begin()->second);
    ends_.erase(ends_.begin());
  }
  next_end_ = ends_.empty() ? UINT64_MAX : ends_.begin()->first;
}

survey::survey(const trace_reader& trace, const function_table& functions)
    : invocation_survey(trace, functions, none_kept),
      loads(trace.stacks().size()),
      clock_ns_(trace.facts().process.clock_ps / 1000) {}

void survey::read(trace_reader& trace, const selection& part) {
  const std::uint64_t until = end_of(trace, part);
  const std::uint64_t from = std::max(part.from, trace.first_time());
  const std::uint64_t time = std::max(from, std::min(until, trace.last_time())) - from;
  const double share = static_cast<double>(time) /
                       std::max(1.0, static_cast<double>(trace.last_time() - trace.first_time()));
  lasts_ = time / 50;
  lasts_births_ =  // half of the events are births
      static_cast<std::uint64_t>(share * static_cast<double>(trace.event_count()) / 2 / 50);
  total.live_bytes = read_into(trace, part, *this);
  marks.finish();
}

void survey::operation(const recorded& one) {
  const event& what = one.what;
  stack_load& load = loads[what.stack];
  ++load.operations;
  load.time += what.cost - std::min<std::uint64_t>(what.cost, clock_ns_);
  const bool frees = what.kind == event_kind::free;
  if (what.kind == event_kind::reallocate) {
    ++total.reallocations;
  } else {
    ++(frees ? total.frees : total.allocations);
    if (what.cost != 0) (frees ? free_costs : allocation_costs).add(what.cost);
  }
  invocation_survey::operation(one);
}

void survey::died(const recorded& one, const surveyed_block& block, const block_end& how) {
  total.temporary += how.temporary;
  total.remote_frees += how.remote;
  total.moved_bytes += how.moved_bytes;
  live_bytes_ -= block.bytes;
  const bool is_long = one.what.time - block.born >= lasts_;
  if (is_long && lasting.size() - block.tag >= lasts_births_) lasting[block.tag] = true;
  marks.death(block.mark, block.stack, block.bytes);
  invocation_survey::died(one, block, how);
}

void survey::born(const recorded& one, surveyed_block& block) {
  total.bytes += block.bytes;
  stack_load& load = loads[block.stack];
  load.bytes += block.bytes;
  ++load.blocks;
  block.mark = marks.birth(one.thread, block.bytes);
  lasting.push_back(false);
  invocation_survey::born(one, block);
  live_bytes_ += block.bytes;
  if (live_bytes_ > total.peak_bytes) {
    total.peak_bytes = live_bytes_;
    total.peak_time = one.what.time;
  }
}

void survey::outlived(const surveyed_block& block) {
  invocation_survey::outlived(block);
  ++total.live_blocks;
  lasting[block.tag] = true;
  marks.never(block.mark, block.stack, block.bytes);
}

void survey::scope(const recorded& one) {
  if (one.what.kind == event_kind::scope_enter) {
    marks.enter(one.thread, one.what.address);
  } else {
    marks.leave(one.thread, one.what.address);
  }
}

}  // namespace mallard::profile
