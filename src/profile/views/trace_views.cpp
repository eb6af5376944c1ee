#include "profile/views/trace_views.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "profile/live_table.hpp"
#include "profile/views/stack_tree.hpp"

namespace mallard::profile {
namespace {

constexpr std::uint64_t snapshots = 24;

struct live_block {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t born = 0;
  std::uint32_t stack = 0;
  std::uint32_t thread = 0;
};

// What a thread did last: a block that is freed by the very next operation is temporary.
struct last_operation {
  std::uint64_t address = 0;
  std::uint32_t stack = 0;
};

class view_maker {
 public:
  view_maker(trace_reader& trace, const function_table& functions, const subsystem_map& subsystems)
      : trace_(trace),
        subsystems_(subsystems),
        tree_(make_stack_tree(trace, functions)),
        duration_(trace.last_time()),
        live_(subsystems.names, duration_),
        activity_(duration_),
        addresses_(subsystems.names) {}

  trace_views make() {
    event_stream events = trace_.events();
    for (recorded one; events.next(one);) take(one);
    while (snapshots_made_ < snapshots) snapshot();
    blocks_.for_each([&](const live_block& block) {
      lifetimes_.outlived(block.size);
      stack_weights& own = weights(block.stack);
      own.leaked_bytes += block.size;
      ++own.leaked_blocks;
    });
    trace_views made;
    made.stacks = std::move(tree_.profile);
    made.live = live_.finish();
    made.lifetimes = lifetimes_.finish();
    std::map<std::uint32_t, std::string> names;
    for (const auto& [id, thread] : trace_.facts().threads) names[id] = thread.name;
    made.activity = activity_.finish(names);
    made.addresses = addresses_.finish();
    return made;
  }

 private:
  void take(const recorded& one) {
    while (snapshots_made_ < snapshots && one.what.time > next_snapshot()) snapshot();
    if (one.sample) {
      weights(one.what.stack).nanoseconds += sample_ns();
      return;
    }
    const event& what = one.what;
    if (what.function == resource_function) return;
    switch (what.kind) {
      case event_kind::allocate:
        operate(one, false);
        birth(one, what.address);
        break;
      case event_kind::free:
        free(one);
        break;
      case event_kind::reallocate: {
        operate(one, false);
        if (what.old_address != 0) death(what.old_address, what.time);
        birth(one, what.address);
        break;
      }
      case event_kind::scope_enter:
      case event_kind::scope_exit:
        break;
    }
  }

  void free(const recorded& one) {
    const live_block* block = blocks_.find(one.what.address);
    last_operation& last = last_[one.thread];
    if (block != nullptr && last.address == one.what.address) ++weights(last.stack).temporary;
    operate(one, block != nullptr && block->thread != one.thread);
    death(one.what.address, one.what.time);
  }

  void operate(const recorded& one, bool remote) {
    activity_.operation(one.thread, one.what.time, remote);
    ++weights(one.what.stack).operations;
    last_[one.thread] = {};
  }

  void birth(const recorded& one, std::uint64_t address) {
    if (address == 0) return;  // there was no memory
    // The free of what lay there before was not recorded.
    death(address, one.what.time);
    const event& what = one.what;
    blocks_.insert({address, what.size, what.time, what.stack, one.thread});
    live_.born(subsystem(what.stack), what.size, what.time);
    stack_weights& own = weights(what.stack);
    ++own.allocations;
    own.bytes += what.size;
    last_[one.thread] = {address, what.stack};
  }

  void death(std::uint64_t address, std::uint64_t time) {
    if (address == 0) return;
    live_block* block = blocks_.find(address);
    if (block == nullptr) return;
    lifetimes_.died(block->size, time - std::min(time, block->born));
    live_.died(subsystem(block->stack), block->size, time);
    blocks_.erase(block);
  }

  std::uint64_t next_snapshot() const { return duration_ / snapshots * (snapshots_made_ + 1); }
  void snapshot() {
    addresses_.begin(snapshots_made_ + 1 == snapshots ? duration_ : next_snapshot());
    blocks_.for_each([&](const live_block& block) {
      addresses_.add(block.address, block.size, subsystem(block.stack));
    });
    addresses_.end();
    ++snapshots_made_;
  }

  std::uint32_t subsystem(std::uint32_t stack) const { return subsystems_.of_stack[stack]; }
  stack_weights& weights(std::uint32_t stack) {
    return tree_.profile.nodes[tree_.of_stack[stack]].own;
  }
  std::uint64_t sample_ns() const { return trace_.facts().process.cpu_sample_ns; }

  trace_reader& trace_;
  const subsystem_map& subsystems_;
  stack_tree tree_;
  std::uint64_t duration_;
  std::uint64_t snapshots_made_ = 0;
  live_table<live_block> blocks_;
  std::unordered_map<std::uint32_t, last_operation> last_;  // by thread
  timeline_builder live_;
  lifetime_builder lifetimes_;
  activity_builder activity_;
  address_map_builder addresses_;
};

}  // namespace

subsystem_map shown_subsystems(const dims_result& dims, std::size_t most) {
  const std::size_t shown = std::min(most, dims.subsystems.size());
  subsystem_map made;
  for (std::size_t i = 0; i < shown; ++i) made.names.push_back(dims.subsystems[i].name);
  made.names.push_back("others");
  for (const std::uint32_t place : dims.subsystem_of_stack) {
    made.of_stack.push_back(std::min(place, static_cast<std::uint32_t>(shown)));
  }
  return made;
}

trace_views make_views(trace_reader& trace, const function_table& functions,
                       const subsystem_map& subsystems) {
  return view_maker(trace, functions, subsystems).make();
}

}  // namespace mallard::profile
