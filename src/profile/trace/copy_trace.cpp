#include "profile/trace/copy_trace.hpp"

#include <algorithm>
#include <stdexcept>

#include "profile/trace/lacks.hpp"

namespace mallard::profile {
namespace {

// Stacks in the order of their ids, and modules where they were loaded and unloaded between them,
// so that addresses mean what they did.
class stack_copy {
 public:
  stack_copy(const trace_reader& trace, trace_writer& to) : trace_(trace), to_(to) {
    const auto& stacks = trace.stacks();
    ids_.resize(stacks.size());
    gone_.resize(trace.facts().modules.size());
    for (std::uint32_t id = 0; id < stacks.size(); ++id) {
      change_modules(id);
      if (id != 0)
        ids_[id] = to.stack(ids_[stacks[id].parent], {stacks[id].ip, stacks[id].frame_address});
    }
    change_modules(UINT32_MAX);
  }

  std::uint32_t operator[](std::uint32_t id) const { return id < ids_.size() ? ids_[id] : 0; }

 private:
  // Loads and unloads that came before this id. One that was unloaded went before the next at its
  // place came.
  void change_modules(std::uint32_t id) {
    const auto& modules = trace_.facts().modules;
    const auto unload = [&](std::uint32_t before) {
      for (std::size_t i = 0; i < loaded_; ++i) {
        const bool gone = modules[i].last_stack != UINT32_MAX && modules[i].last_stack <= before;
        if (!gone || gone_[i]) continue;
        gone_[i] = true;
        to_.unmodule(modules[i].unloaded, modules[i].load_bias);
      }
    };
    for (; loaded_ < modules.size() && modules[loaded_].first_stack <= id; ++loaded_) {
      unload(modules[loaded_].first_stack);
      to_.module(modules[loaded_]);
    }
    unload(id);
  }

  const trace_reader& trace_;
  trace_writer& to_;
  std::vector<std::uint32_t> ids_;
  std::size_t loaded_ = 0;
  std::vector<bool> gone_;
};

}  // namespace

std::uint64_t copy_trace(trace_reader& trace, const selection& part, const std::string& to) {
  const trace_facts& facts = trace.facts();
  process_info process = facts.process;
  const bool ends_before = part.until <= facts.end.time;
  const auto leave_out = [&](bool is_left_out, const char* what) {
    if (is_left_out && !lacks(process, what)) process.not_recorded.push_back(what);
  };
  leave_out(part.from > 0, the_start);
  leave_out(ends_before, the_end);
  const auto wanted = [&](std::uint32_t thread) {
    return !part.threads || std::ranges::find(*part.threads, thread) != part.threads->end();
  };
  leave_out(std::ranges::any_of(facts.threads, [&](const auto& one) { return !wanted(one.first); }),
            other_threads);
  process.begins = std::max(process.begins, part.from);
  trace_writer out(to, process);
  const stack_copy stacks(trace, out);
  for (const auto& [id, thread] : facts.threads) {
    if (wanted(id)) out.thread(thread);
  }
  for (const auto& [key, text] : facts.names) out.name(key.first, key.second, text);
  for (const auto& [thread, loss] : facts.losses) out.loss(loss);
  std::vector<resident_sample> resident = facts.resident;
  std::erase_if(resident, [&](const resident_sample& one) {
    return one.time < part.from || one.time >= part.until;
  });
  out.resident(resident);
  auto events = trace.events(part);
  std::vector<event> some;
  std::uint32_t thread = 0;
  const auto flush = [&] {
    if (!some.empty()) out.events(thread, some);
    some.clear();
  };
  for (recorded one; events.next(one);) {
    if (one.sample) {
      const cpu_sample sample{one.what.time, stacks[one.what.stack], one.in_heap};
      out.cpu_samples(one.thread, {&sample, 1});
      continue;
    }
    if (one.thread != thread || some.size() == 4096) flush();
    thread = one.thread;
    one.what.stack = stacks[one.what.stack];
    some.push_back(one.what);
  }
  flush();
  out.end(ends_before ? end_info{part.until, end_kind::went_on, 0} : facts.end);
  out.symbols(trace.symbols());
  const std::uint64_t count = out.event_count();
  // A copy has the gaps of its source, so it is not a finished trace where that is none.
  if (trace.problems().empty()) {
    out.finish();
  } else {
    out.flush();
  }
  if (!out.error().empty()) throw std::runtime_error(out.error());
  return count;
}

}  // namespace mallard::profile
