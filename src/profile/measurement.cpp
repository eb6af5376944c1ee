#include "profile/measurement.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "profile/density.hpp"

namespace mallard::profile {
namespace {

metered_block metered(const live_block& block) {
  return {block.address, block.bytes, block.born, block.thread};
}

}  // namespace

measurement::measurement(const trace_reader& trace, grouping by, const meter_setting& setting,
                         std::vector<std::uint16_t> of_stack, subsystem_names names)
    : trace_(trace),
      by_(by),
      setting_(setting),
      of_stack_(std::move(of_stack)),
      names_(std::move(names)),
      blocks_(trace),
      all_("(all)", setting, true) {}

void measurement::read(trace_reader& trace, const selection& part, std::uint64_t peak_bytes,
                       std::span<block_watcher* const> also) {
  blocks_.expect_peak(peak_bytes);
  if (also.empty()) {
    blocks_.run(trace.events(part), *this);
    return;
  }
  for (block_watcher* const one : also) one->begin(blocks_.live());
  watchers others(also);
  blocks_.run(trace.events(part), *this, others);
}

void measurement::finish(dims_result& out) {
  if (setting_.has_addresses) {
    const placements where = places();
    for (std::size_t id = 0; id < meters_.size(); ++id) {
      if (meters_[id]) meters_[id]->at_end(where.of[id]);
    }
    all_.at_end(where.all);
  }
  std::size_t used = 0;
  for (const auto& one : meters_) used += one != nullptr;
  const auto& caches = trace_.facts().process.cache_bytes;
  out.all = all_.finish(used, caches);
  out.heap = estimated_share(out.all);
  std::optional<contention> contended;  // not without samples: then only operations take time
  if (out.heap) {
    contended = all_.contention_of_all({.share = out.heap->share,
                                        .sample_ns = static_cast<double>(setting_.cpu_sample_ns),
                                        .waited_ns = static_cast<double>(out.waited_ns)});
    all_.add_contention(out.all, *contended);
  }
  for (const auto& meter : meters_) {
    if (!meter) continue;
    subsystem one = meter->finish(used, caches);
    if (contended) meter->add_contention(one, *contended);
    if (one.total.bytes > 0 || one.cpu_ns > 0) out.subsystems.push_back(std::move(one));
  }
  std::sort(out.subsystems.begin(), out.subsystems.end(),
            [](const subsystem& a, const subsystem& b) {
              return std::tie(b.total.bytes, a.name) < std::tie(a.total.bytes, b.name);
            });
}

void measurement::died(const recorded& one, const live_block& block, const block_end& how) {
  if (how.why != block_end::cause::not_recorded) arrive(one.thread, block.tag);
  all_.freed(metered(block), one.what.time, one.thread, how);
  meter(block.tag).freed(metered(block), one.what.time, one.thread, how);
}

void measurement::born(const recorded& one, live_block& block) {
  block.tag = subsystem_of(one);
  arrive(one.thread, block.tag);
  subsystem_meter& of = meter(block.tag);
  const bool again = one.what.kind == event_kind::reallocate;
  all_.allocated(metered(block), again);
  of.allocated(metered(block), again);
  if (again && one.what.old_address == 0) of.reallocated();
  auto& last = threads_[one.thread].last_of_class[size_class_of(block.bytes)];
  of.in_run(last == block.tag + 1);
  last = block.tag + 1;
}

void measurement::at_peak() {
  if (!setting_.has_addresses) return;
  const placements where = places();
  for (std::size_t id = 0; id < meters_.size(); ++id) {
    if (meters_[id]) meters_[id]->at_peak(where.of[id]);
  }
  all_.at_peak(where.all);
}

void measurement::sample(const recorded& one) {
  all_.sampled(one.what.time, one.in_heap);
  meter(subsystem_of(one)).sampled(one.what.time, one.in_heap);
}

void measurement::scope(const recorded& one) {
  if (by_ != grouping::scope) return;
  auto& inside = threads_[one.thread].scopes;
  if (one.what.kind == event_kind::scope_enter) {
    inside.push_back(one.what.address);
    return;
  }
  const auto found = std::find(inside.rbegin(), inside.rend(), one.what.address);
  if (found != inside.rend()) inside.erase(std::prev(found.base()), inside.end());
}

void measurement::resource(const recorded& one) {
  if (by_ != grouping::resource || one.what.address == 0) return;
  live_block* const old = carved_.find(one.what.address);
  if (one.what.kind == event_kind::allocate) {
    if (old) carved_.erase(old);
    live_block fresh;
    fresh.address = one.what.address;
    fresh.bytes = one.what.size;
    fresh.born = one.what.time;
    fresh.thread = one.thread;
    fresh.tag = names_.id(name_of(trace_.facts(), name_kind::resource, one.what.old_address));
    carved_.insert(fresh);
    meter(fresh.tag).allocated(metered(fresh), false);
  } else if (old) {
    block_end how;
    how.remote = old->thread != one.thread;
    meter(old->tag).freed(metered(*old), one.what.time, one.thread, how);
    carved_.erase(old);
  }
}

subsystem_meter& measurement::meter(std::uint32_t id) {
  if (id >= meters_.size()) meters_.resize(id + 1u);
  if (!meters_[id]) meters_[id] = std::make_unique<subsystem_meter>(names_.names()[id], setting_);
  return *meters_[id];
}

std::uint16_t measurement::subsystem_of(const recorded& one) {
  switch (by_) {
    case grouping::thread: {
      auto& known = threads_[one.thread].as;
      if (known == UINT32_MAX) known = names_.id(thread_name(trace_.facts(), one.thread));
      return static_cast<std::uint16_t>(known);
    }
    case grouping::scope: {
      const auto& inside = threads_[one.thread].scopes;
      return names_.id(inside.empty() ? "(none)"
                                      : name_of(trace_.facts(), name_kind::scope, inside.back()));
    }
    case grouping::resource:
      return names_.id("(no resource)");
    default:
      return of_stack_[one.what.stack];
  }
}

// A thread that goes on in another subsystem leaves the previous one.
void measurement::arrive(std::uint32_t thread, std::uint32_t id) {
  std::uint32_t& in = threads_[thread].in;
  if (in != id && in != UINT32_MAX) meter(in).left();
  in = id;
}

placements measurement::places() const {
  return place_blocks(blocks_.live(), meters_.size(), setting_.page_bytes, setting_.line_bytes);
}

}  // namespace mallard::profile
