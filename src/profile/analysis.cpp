#include "profile/analysis.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "profile/arena_scopes.hpp"
#include "profile/invocations.hpp"
#include "profile/live_table.hpp"
#include "profile/mark_tracker.hpp"
#include "profile/of_threads.hpp"
#include "profile/subsystem_meter.hpp"

namespace mallard::profile {
namespace {

bool has(const trace_reader& trace, const char* what) {
  const auto& missing = trace.facts().process.not_recorded;
  return std::find(missing.begin(), missing.end(), what) == missing.end();
}

// Events as the analysis needs them: a reallocation is a death and a birth at once, and blocks of
// memory resources are kept apart, as they lie in blocks of the heap.
//
// Handler: born(thread, event), died(thread, event, address), each also for reallocations, which
// event.kind tells; scope(thread, event); sample(thread, event); resource(thread, event).
template <class Handler>
void for_each_event(event_stream events, Handler& handler) {
  recorded one;
  while (events.next(one)) {
    const event& what = one.what;
    if (one.sample) {
      handler.sample(one.thread, what);
      continue;
    }
    if (what.function == resource_function && what.kind != event_kind::scope_enter &&
        what.kind != event_kind::scope_exit) {
      handler.resource(one.thread, what);
      continue;
    }
    switch (what.kind) {
      case event_kind::allocate:
        handler.born(one.thread, what);
        break;
      case event_kind::free:
        handler.died(one.thread, what, what.address);
        break;
      case event_kind::reallocate:
        if (what.address != 0 || what.size == 0) {
          if (what.old_address != 0) handler.died(one.thread, what, what.old_address);
          if (what.address != 0) handler.born(one.thread, what);
        } else {
          handler.failed();
        }
        break;
      case event_kind::scope_enter:
      case event_kind::scope_exit:
        handler.scope(one.thread, what);
        break;
    }
  }
}

// The first pass.
class survey {
 public:
  survey(const trace_reader& trace, const function_table& functions)
      : loads(trace.stacks().size()),
        tracker(std::in_place, trace.stacks(), functions),
        stacks_(trace.stacks().size()) {
    for (const auto& [id, thread] : trace.facts().threads) {
      if (thread.ended != UINT64_MAX) ends_.emplace(thread.ended, id);
    }
  }

  heap_total total;
  std::vector<stack_load> loads;
  std::optional<invocation_tracker> tracker;
  mark_tracker marks;
  number_counts allocation_costs, free_costs;
  std::uint64_t first_time = UINT64_MAX;

  void sample(std::uint32_t, const event&) {}
  void resource(std::uint32_t, const event&) {}
  void failed() { ++total.failed; }

  void scope(std::uint32_t thread, const event& what) {
    if (what.kind == event_kind::scope_enter) {
      marks.enter(thread, what.address);
    } else {
      marks.leave(thread, what.address);
    }
  }

  void born(std::uint32_t thread, const event& what) {
    pass_time(what.time);
    const bool again = what.kind == event_kind::reallocate;
    if (what.address == 0) {
      ++total.failed;
      return;
    }
    if (!again || what.old_address == 0) {
      ++(again ? total.reallocations : total.allocations);
      if (what.cost != 0) allocation_costs.add(what.cost);
    }
    total.bytes += what.size;
    const std::uint32_t stack = known(what.stack);
    load(stack, what, what.size);
    if (block* const old = live_.find(what.address)) {
      // Its free was not recorded: it was before this.
      remove(old, thread, 0);
    }
    block fresh;
    fresh.address = what.address;
    fresh.bytes = what.size;
    fresh.thread = thread;
    fresh.stack = stack;
    fresh.mark = marks.birth(thread, what.size);
    if (stack != 0) {
      if (!again || what.old_address == 0) tracker->arrive(thread, stack, false);
      fresh.born = tracker->birth(thread, stack, what.size);
    }
    fresh.order = ++operations_[thread];
    live_.insert(fresh);
    live_bytes_ += what.size;
    if (live_bytes_ > total.peak_bytes) {
      total.peak_bytes = live_bytes_;
      total.peak_time = what.time;
    }
  }

  void died(std::uint32_t thread, const event& what, std::uint64_t address) {
    pass_time(what.time);
    const bool again = what.kind == event_kind::reallocate;
    ++(again ? total.reallocations : total.frees);
    if (!again && what.cost != 0) free_costs.add(what.cost);
    const std::uint32_t stack = known(what.stack);
    if (!again) load(stack, what, 0);
    if (stack != 0) tracker->arrive(thread, stack, true);
    const std::uint64_t order = operations_[thread] + (again ? 0 : 1);
    if (!again) operations_[thread] = order;
    block* const old = live_.find(address);
    if (!old) {
      ++total.unknown_frees;
      return;
    }
    if (!again) {
      total.temporary += old->thread == thread && old->order + 1 == order;
      total.remote_frees += old->thread != thread;
    } else if (what.address != address) {
      total.moved_bytes += std::min(old->bytes, what.size);
    }
    remove(old, thread, stack);
  }

  void finish() {
    pass_time(UINT64_MAX);
    tracker->finish();
    marks.finish();
    total.live_blocks = live_.size();
    total.live_bytes = live_bytes_;
    live_.for_each([&](const block& one) {
      if (one.stack != 0) tracker->never(one.born, one.bytes);
      marks.never(one.mark, one.stack, one.bytes);
    });
    live_ = {};
  }

 private:
  struct block {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t order = 0;  // of the operation, among its thread's
    birthmark born;
    std::uint32_t thread = 0;
    std::uint32_t stack = 0;
    std::uint32_t mark = 0;
  };

  std::uint32_t known(std::uint32_t stack) const { return stack < stacks_ ? stack : 0; }

  void load(std::uint32_t stack, const event& what, std::uint64_t bytes) {
    stack_load& sum = loads[stack];
    sum.bytes += bytes;
    ++sum.operations;
    sum.time += what.cost;
  }

  void remove(block* old, std::uint32_t thread, std::uint32_t stack) {
    live_bytes_ -= old->bytes;
    if (old->stack != 0) tracker->death(old->born, old->bytes, thread, stack);
    marks.death(old->mark, old->stack, old->bytes);
    live_.erase(old);
  }

  void pass_time(std::uint64_t time) {
    first_time = std::min(first_time, time);
    while (!ends_.empty() && ends_.begin()->first < time) {
      tracker->thread_ended(ends_.begin()->second);
      ends_.erase(ends_.begin());
    }
  }

  std::size_t stacks_;
  std::multimap<std::uint64_t, std::uint32_t> ends_;  // threads by the time of their end
  of_threads<std::uint64_t> operations_;
  live_table<block> live_;
  std::uint64_t live_bytes_ = 0;
};

// The second pass: every operation goes to its subsystem's meter, and to the whole program's.
class measurement {
 public:
  measurement(const trace_reader& trace, const subsystem_options& options,
              const meter_setting& setting, std::vector<std::uint16_t> of_stack,
              subsystem_names names, std::uint64_t peak_bytes)
      : trace_(trace),
        options_(options),
        setting_(setting),
        of_stack_(std::move(of_stack)),
        names_(std::move(names)),
        all_("(all)", setting),
        peak_bytes_(peak_bytes) {}

  void scope(std::uint32_t thread, const event& what) {
    auto& inside = scopes_[thread];
    if (what.kind == event_kind::scope_enter) {
      inside.push_back(what.address);
      return;
    }
    const auto found = std::find(inside.rbegin(), inside.rend(), what.address);
    if (found != inside.rend()) inside.erase(std::prev(found.base()), inside.end());
  }

  void sample(std::uint32_t thread, const event& what) {
    all_.sampled(what.time);
    meter(subsystem_of(thread, what)).sampled(what.time);
  }

  void failed() {}

  // Only where resources are what is asked for: their blocks are parts of the heap's.
  void resource(std::uint32_t thread, const event& what) {
    if (options_.by != grouping::resource) return;
    const auto name = trace_.facts().names.find({name_kind::resource, what.old_address});
    const std::uint16_t id = names_.id(
        name == trace_.facts().names.end() ? "#" + std::to_string(what.old_address) : name->second);
    if (what.kind == event_kind::allocate) {
      const block fresh = make_block(thread, what, id);
      if (block* const old = carved_.find(what.address)) carved_.erase(old);
      carved_.insert(fresh);
      meter(id).allocated(fresh.what(), false);
    } else if (block* const old = carved_.find(what.address)) {
      meter(old->subsystem).freed(old->what(), what.time, thread, false, false);
      carved_.erase(old);
    }
  }

  void born(std::uint32_t thread, const event& what) {
    if (what.address == 0) return;
    const std::uint16_t id = subsystem_of(thread, what);
    arrive(thread, id);
    const bool again = what.kind == event_kind::reallocate;
    if (block* const old = live_.find(what.address)) {
      all_.freed(old->what(), what.time, thread, false, true);
      meter(old->subsystem).freed(old->what(), what.time, thread, false, true);
      live_bytes_ -= old->bytes;
      live_.erase(old);
    }
    block fresh = make_block(thread, what, id);
    fresh.order = ++threads_[thread].operations;
    all_.allocated(fresh.what(), again);
    meter(id).allocated(fresh.what(), again);
    if (again && what.old_address == 0) count_reallocation(id);
    auto& last = threads_[thread].last_of_class[size_class_of(what.size)];
    meter(id).in_run(last == id + 1u);
    last = id + 1u;
    live_.insert(fresh);
    live_bytes_ += what.size;
    if (!at_peak_ && live_bytes_ == peak_bytes_) take_peak();
  }

  void died(std::uint32_t thread, const event& what, std::uint64_t address) {
    const bool again = what.kind == event_kind::reallocate;
    auto& mine = threads_[thread];
    const std::uint64_t order = mine.operations + (again ? 0 : 1);
    mine.operations = order;
    block* const old = live_.find(address);
    if (!old) return;
    arrive(thread, old->subsystem);
    const bool temporary = !again && old->thread == thread && old->order + 1 == order;
    subsystem_meter& of = meter(old->subsystem);
    all_.freed(old->what(), what.time, thread, temporary, again);
    of.freed(old->what(), what.time, thread, temporary, again);
    if (again) {
      count_reallocation(old->subsystem);
      if (what.address != address) {
        all_.moved(std::min(old->bytes, what.size));
        of.moved(std::min(old->bytes, what.size));
      }
    }
    live_bytes_ -= old->bytes;
    live_.erase(old);
  }

  void finish(dims_result& out) {
    place_blocks(
        [](subsystem_meter& meter, const subsystem_meter::place& where) { meter.at_end(where); });
    std::size_t used = 0;
    for (const auto& one : meters_) used += one != nullptr;
    const auto& caches = trace_.facts().process.cache_bytes;
    out.all = all_.finish(used, caches);
    for (std::size_t id = 0; id < meters_.size(); ++id) {
      if (!meters_[id]) continue;
      subsystem one = meters_[id]->finish(used, caches);
      one.total.reallocations = id < reallocations_.size() ? reallocations_[id] : 0;
      if (one.total.bytes > 0 || one.cpu_ns > 0) out.subsystems.push_back(std::move(one));
    }
    std::sort(out.subsystems.begin(), out.subsystems.end(),
              [](const subsystem& a, const subsystem& b) {
                return std::tie(b.total.bytes, a.name) < std::tie(a.total.bytes, b.name);
              });
  }

 private:
  struct block {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t born = 0;
    std::uint64_t order = 0;
    std::uint32_t thread = 0;
    std::uint16_t subsystem = 0;
    metered_block what() const { return {address, bytes, born, thread}; }
  };
  struct thread_state {
    std::uint64_t operations = 0;
    std::uint32_t in = UINT32_MAX;  // the subsystem it was last seen in
    // By size class, whose it was that allocated last, as its number and 1; 0: nobody.
    std::array<std::uint32_t, 256> last_of_class{};
  };

  static block make_block(std::uint32_t thread, const event& what, std::uint16_t subsystem) {
    return {what.address, what.size, what.time, 0, thread, subsystem};
  }

  subsystem_meter& meter(std::uint16_t id) {
    if (id >= meters_.size()) meters_.resize(id + 1u);
    if (!meters_[id]) meters_[id] = std::make_unique<subsystem_meter>(names_.names()[id], setting_);
    return *meters_[id];
  }

  void count_reallocation(std::uint16_t id) {
    if (id >= reallocations_.size()) reallocations_.resize(id + 1u);
    ++reallocations_[id];
  }

  std::uint16_t subsystem_of(std::uint32_t thread, const event& what) {
    switch (options_.by) {
      case grouping::thread: {
        auto& known = thread_ids_[thread];
        if (known == 0) known = names_.id(thread_name(thread)) + 1u;
        return static_cast<std::uint16_t>(known - 1);
      }
      case grouping::scope: {
        const auto& inside = scopes_[thread];
        if (inside.empty()) return names_.id("(none)");
        const auto name = trace_.facts().names.find({name_kind::scope, inside.back()});
        return names_.id(name == trace_.facts().names.end() ? "#" + std::to_string(inside.back())
                                                            : name->second);
      }
      case grouping::resource:
        return names_.id("(no resource)");
      default:
        return what.stack < of_stack_.size() ? of_stack_[what.stack] : of_stack_[0];
    }
  }

  std::string thread_name(std::uint32_t thread) const {
    const auto& threads = trace_.facts().threads;
    const auto found = threads.find(thread);
    std::string name = "thread " + std::to_string(thread);
    if (found != threads.end() && !found->second.name.empty()) name += " " + found->second.name;
    return name;
  }

  void arrive(std::uint32_t thread, std::uint16_t id) {
    std::uint32_t& in = threads_[thread].in;
    if (in != id && in != UINT32_MAX) meter(static_cast<std::uint16_t>(in)).left();
    in = id;
  }

  void take_peak() {
    at_peak_ = true;
    place_blocks(
        [](subsystem_meter& meter, const subsystem_meter::place& where) { meter.at_peak(where); });
  }

  // On how many pages and lines each subsystem's blocks lie, and whose else are there.
  template <class Tell>
  void place_blocks(const Tell& tell) {
    if (!setting_.has_addresses) return;
    std::vector<const block*> blocks;
    blocks.reserve(live_.size());
    live_.for_each([&](const block& one) { blocks.push_back(&one); });
    std::sort(blocks.begin(), blocks.end(),
              [](const block* a, const block* b) { return a->address < b->address; });
    std::vector<subsystem_meter::place> places(meters_.size());
    subsystem_meter::place all;
    std::map<std::uint16_t, std::uint64_t> here;  // bytes on the page by subsystem
    std::uint64_t page = UINT64_MAX;
    std::vector<std::uint64_t> last_line(meters_.size() + 1, UINT64_MAX);
    const auto turn_page = [&](std::uint64_t next) {
      std::uint64_t on_page = 0;
      for (const auto& [id, bytes] : here) on_page += bytes;
      for (const auto& [id, bytes] : here) {
        ++places[id].pages;
        places[id].bytes_on_pages += on_page;
      }
      if (!here.empty()) {
        ++all.pages;
        all.bytes_on_pages += on_page;
      }
      here.clear();
      page = next;
    };
    const auto lines = [&](std::size_t of, std::uint64_t first, std::uint64_t last) {
      const std::uint64_t shared = last_line[of] == first ? 1 : 0;
      last_line[of] = last;
      return last - first + 1 - shared;
    };
    for (const block* one : blocks) {
      std::uint64_t at = one->address;
      const std::uint64_t end = at + std::max<std::uint64_t>(one->bytes, 1);
      if (end - at > setting_.page_bytes << 16) continue;  // 256 MiB: pages of its own
      const std::uint64_t first = at / setting_.line_bytes;
      const std::uint64_t last = (end - 1) / setting_.line_bytes;
      places[one->subsystem].lines += lines(one->subsystem, first, last);
      all.lines += lines(meters_.size(), first, last);
      places[one->subsystem].bytes += one->bytes;
      all.bytes += one->bytes;
      while (at < end) {
        const std::uint64_t this_page = at / setting_.page_bytes;
        if (this_page != page) turn_page(this_page);
        const std::uint64_t until = std::min(end, (this_page + 1) * setting_.page_bytes);
        here[one->subsystem] += until - at;
        at = until;
      }
    }
    turn_page(UINT64_MAX);
    for (std::size_t id = 0; id < meters_.size(); ++id) {
      if (meters_[id]) tell(*meters_[id], places[id]);
    }
    tell(all_, all);
  }

  const trace_reader& trace_;
  const subsystem_options& options_;
  meter_setting setting_;
  std::vector<std::uint16_t> of_stack_;
  subsystem_names names_;
  subsystem_meter all_;
  std::vector<std::unique_ptr<subsystem_meter>> meters_;
  std::vector<std::uint64_t> reallocations_;
  of_threads<thread_state> threads_;
  std::unordered_map<std::uint32_t, std::uint32_t> thread_ids_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> scopes_;
  live_table<block> live_;
  live_table<block> carved_;
  std::uint64_t peak_bytes_;
  std::uint64_t live_bytes_ = 0;
  bool at_peak_ = false;
};

std::vector<arena_scope> marked_scopes(const mark_tracker& marks, const trace_reader& trace,
                                       const function_table& functions) {
  std::vector<arena_scope> out;
  for (const auto& [name, sum] : marks.sums()) {
    arena_scope one;
    const auto text = trace.facts().names.find({name_kind::scope, name});
    one.function = text == trace.facts().names.end() ? "#" + std::to_string(name) : text->second;
    one.marked = true;
    one.threads.assign(sum.invocations.threads.begin(), sum.invocations.threads.end());
    one.invocations = sum.invocations.invocations;
    one.blocks = sum.born.blocks;
    one.total_bytes = sum.born.bytes;
    std::vector<std::pair<std::uint32_t, block_sum>> stacks(sum.survivors.begin(),
                                                            sum.survivors.end());
    for (const auto& [stack, blocks] : stacks) one.survivors += blocks.blocks;
    std::sort(stacks.begin(), stacks.end(), [](const auto& a, const auto& b) {
      return std::tie(b.second.blocks, a.first) < std::tie(a.second.blocks, b.first);
    });
    if (stacks.size() > 5) stacks.resize(5);
    for (const auto& [stack, blocks] : stacks) {
      one.survivor_stacks.push_back(
          {frame_names(trace, functions, stack, 16), blocks.blocks, blocks.bytes});
    }
    one.dead = one.blocks - std::min(one.blocks, one.survivors);
    one.dead_share =
        one.blocks == 0 ? 1 : static_cast<double>(one.dead) / static_cast<double>(one.blocks);
    one.median_bytes = sum.invocations.bytes.quantile(0.5);
    one.p99_bytes = sum.invocations.bytes.quantile(0.99);
    one.max_bytes = sum.invocations.bytes.max();
    one.bytes_counts = sum.invocations.bytes.sorted();
    one.confidence = "high";
    out.push_back(std::move(one));
  }
  return out;
}

// For each stack where its subsystem is among `found`; their number where it is not.
std::vector<std::uint32_t> places_of(const std::vector<std::uint16_t>& of_stack,
                                     const std::vector<std::string>& names,
                                     const std::vector<subsystem>& found) {
  std::vector<std::uint32_t> place_of_name;
  for (const std::string& name : names) {
    const auto at = std::find_if(found.begin(), found.end(),
                                 [&](const subsystem& one) { return one.name == name; });
    place_of_name.push_back(static_cast<std::uint32_t>(at - found.begin()));
  }
  std::vector<std::uint32_t> out;
  for (const std::uint16_t id : of_stack) {
    out.push_back(id < place_of_name.size() ? place_of_name[id]
                                            : static_cast<std::uint32_t>(found.size()));
  }
  return out;
}

std::string name_of(grouping by) {
  switch (by) {
    case grouping::found:
      return "found";
    case grouping::module:
      return "module";
    case grouping::name_space:
      return "namespace";
    case grouping::function:
      return "function";
    case grouping::scope:
      return "scope";
    case grouping::resource:
      return "resource";
    case grouping::thread:
      return "thread";
    case grouping::rules:
      return "rules";
  }
  return "";
}

}  // namespace

dims_result analyse(trace_reader& trace, const analysis_options& options) {
  const function_table functions(trace);
  survey first(trace, functions);
  for_each_event(trace.events(options.part), first);
  first.finish();

  dims_result out;
  const trace_facts& facts = trace.facts();
  out.command = facts.process.command;
  out.pid = facts.process.pid;
  out.not_recorded = facts.process.not_recorded;
  out.threads = facts.threads.size();
  out.cache_bytes = facts.process.cache_bytes;
  for (const auto& [thread, loss] : facts.losses) {
    out.dropped += loss.dropped;
    out.waited_ns += loss.waited_ns;
  }
  out.total = first.total;
  out.arena_scopes = marked_scopes(first.marks, trace, functions);
  for (auto& one : find_arena_scopes(*first.tracker, trace, functions)) {
    out.arena_scopes.push_back(std::move(one));
  }
  first.tracker.reset();  // where stacks are many, so is what it knows of them

  meter_setting setting;
  setting.from = std::max<std::uint64_t>(options.part.from, 0);
  setting.until = std::max(setting.from, std::min(options.part.until, trace.last_time()));
  out.duration = setting.until - setting.from;
  setting.windows = has(trace, "times") ? options.windows : 0;
  setting.allocation_ns = static_cast<double>(first.allocation_costs.quantile(0.5));
  setting.free_ns = static_cast<double>(first.free_costs.quantile(0.5));
  setting.cpu_sample_ns = facts.process.cpu_sample_ns;
  setting.page_bytes = std::max<std::uint64_t>(1, facts.process.page_bytes);
  setting.line_bytes = std::max<std::uint64_t>(1, facts.process.line_bytes);
  setting.has_threads = has(trace, "threads");
  setting.has_addresses = has(trace, "addresses");
  subsystem_names names;
  std::vector<std::uint16_t> of_stack = subsystems_of_stacks(options.subsystems, trace, functions,
                                                             first.loads, out.arena_scopes, names);
  measurement second(trace, options.subsystems, setting, of_stack, names, first.total.peak_bytes);
  for_each_event(trace.events(options.part), second);
  second.finish(out);
  out.subsystem_of_stack = places_of(of_stack, names.names(), out.subsystems);
  out.all.total = out.total;
  out.subsystems_by = name_of(options.subsystems.by);
  out.complete = trace.complete();
  out.problems = trace.problems();
  return out;
}

}  // namespace mallard::profile
