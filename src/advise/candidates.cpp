#include "advise/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "advise/bound.hpp"
#include "base/units.hpp"
#include "profile/subsystem_rules.hpp"

namespace mallard::advise {
namespace {

using base::bytes_text;
using profile::arena_scope;
using profile::dims_result;
using profile::subsystem;

// More classes than this are too many lists to keep warm: a heap that coalesces does better.
constexpr double most_classes = 24;
// A pool of one size has to serve nearly all.
constexpr double one_size_share = 0.9;
constexpr std::uint64_t largest_pooled = 32768;
// Blocks that reallocations copy are arrays that grow.
constexpr double growth_share = 0.1;
// Below this an arena would keep much that a pool would hand out again.
constexpr double low_utilization = 0.5;
constexpr std::uint64_t much_memory = 64u << 20;
// Blocks that few functions keep can be left out of an arena.
constexpr std::size_t most_kept_by = 2;
constexpr double kept_by_them = 0.9;

const doubt costs_more_in_c{
    "C code cannot take a resource, and a scope's heap costs more than the arena tried here"};

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

const arena_scope* scope_of(const subsystem& one, const dims_result& dims) {
  for (const arena_scope& scope : dims.arena_scopes) {
    if (scope.marked ? scope.function == one.name
                     : profile::short_name(scope.function) == one.name) {
      return &scope;
    }
  }
  return nullptr;
}

// A kibibyte's multiple that nearly all invocations stay below.
std::uint64_t first_bytes_of(std::uint64_t p99_bytes) {
  const std::uint64_t wanted = std::max<std::uint64_t>(p99_bytes, 1);
  return wanted <= 1024 ? std::bit_ceil(std::max<std::uint64_t>(wanted, 64))
                        : (wanted + wanted / 8 + 1023) / 1024 * 1024;
}

class finder {
 public:
  finder(const subsystem& one, const code_place& where, const dims_result& dims, bool ends_early,
         std::vector<candidate>& out)
      : one_(one), dims_(dims), scope_(scope_of(one, dims)), ends_early_(ends_early), out_(out) {
    const gain_bound bound = bound_of(one, dims);
    base_.where = where;
    if (scope_ != nullptr) base_.where.function = scope_->function;
    base_.bound = bound.times;
    base_.allocation_ns = bound.allocation_ns;
    base_.placement_ns = bound.placement_ns;
    look_at_dimensions(bound);
  }

  void find() {
    if (is_nameless()) {
      add(strategy::monotonic,
          "its function has no name: build the program with symbols to locate it");
      return;
    }
    if (is_the_program()) {
      add(strategy::multipool,
          "it stands for the whole program: its callees request nearly all blocks");
      return;
    }
    const std::size_t before = out_.size();
    arenas();
    if (!base_.where.is_cpp) {
      for (candidate& one : std::span(out_).subspan(before)) {
        if (is_arena(one.how) && one.refused.empty()) {
          one.doubts.push_back(costs_more_in_c);
        }
      }
      add(strategy::multipool, "C code cannot take a resource: another malloc can be tried");
      return;
    }
    pools();
    heaps();
    one_size();
  }

 private:
  void look_at_dimensions(const gain_bound& bound) {
    const auto percent = [&](std::uint64_t ns) { return 100 * share(ns, bound.program_ns); };
    base_.because.push_back(
        {"D", is_known(dims_.heap)
                  ? fmt::format("{:.1f} % of the program's time is in its heap operations",
                                percent(bound.allocation_ns))
                  : heap_text(std::nullopt)});
    if (bound.placement_ns > 0) {
      base_.because.push_back(
          {"L", fmt::format("{} at its peak, on {:.1f} times the pages it needs: about {:.1f} % "
                            "of the program's time",
                            bytes_text(one_.where.peak_bytes), one_.where.page_diffusion,
                            percent(bound.placement_ns))});
    }
    if (one_.dims.U.literal) {
      base_.because.push_back(
          {"U", fmt::format("{:.1f} % of the bytes it requests are live at once",
                            100 * *one_.dims.U.literal)});
    }
    base_.because.push_back(
        {"V", fmt::format("{:.1f} size classes would serve it", one_.effective_classes)});
    if (one_.threads.size() > 1) {
      base_.because.push_back(
          {"C", fmt::format("{} threads; {:.1f} % of its blocks are freed by a thread that did not "
                            "allocate them",
                            one_.threads.size(),
                            100 * share(one_.total.remote_frees, one_.total.frees))});
    }
    if (one_.dims.F.scaled && *one_.dims.F.scaled > 0.1) {
      base_.because.push_back(
          {"F",
           fmt::format("{:.0f} % of its allocations are interleaved with others' of the same size",
                       100 * *one_.dims.F.scaled)});
    }
  }

  // As main or an interpreter's loop: nobody's containers are there.
  bool is_the_program() const {
    constexpr double nearly_all = 0.9;
    const bool ends_late = scope_ == nullptr || scope_->trunk || scope_->root;
    return ends_late && !base_.where.asks_itself &&
           share(one_.total.bytes, dims_.total.bytes) >= nearly_all;
  }

  // A place in a file stands for it then.
  bool is_nameless() const {
    const std::string name = profile::short_name(base_.where.function);
    return name.empty() || profile::is_nameless(name);
  }

  candidate& add(strategy how, std::string refused = {}) {
    candidate made = base_;
    made.how = how;
    made.refused = std::move(refused);
    return out_.emplace_back(std::move(made));
  }

  std::string why_no_arena() const {
    if (scope_ == nullptr && one_.epochs.count == 0) {
      return "its blocks are never all dead before the end: an arena would only grow";
    }
    if (scope_ == nullptr && shared()) {
      return "other threads free its blocks: the thread that would release an arena does not know "
             "when all are dead";
    }
    if (scope_ == nullptr && !dims_.loops.empty()) {
      const profile::arena_loop& loop = dims_.loops.front();
      return fmt::format("no call ends with its blocks dead, but turns of the loop at {}:{} do",
                         profile::file_name(loop.file), loop.first_line);
    }
    if (scope_ != nullptr && scope_->trunk) {
      return base_.where.line != 0 ? "it ends when the program does: an arena would only grow"
                                   : "it ends when the program does: an arena would only grow; "
                                     "build with debug information (-g) to see "
                                     "whether turns of a loop in it could have one";
    }
    const std::uint64_t held = scope_ != nullptr ? most_of_a_call() : one_.epochs.max_bytes;
    if (held > much_memory && held > 8 * one_.total.peak_bytes) {
      return fmt::format("an arena would hold {} where {} live at once", bytes_text(held),
                         bytes_text(one_.total.peak_bytes));
    }
    return {};
  }

  // Calls whose ends are assumed may be several that were taken for one.
  std::uint64_t most_of_a_call() const {
    return 2 * scope_->by_instant > scope_->invocations ? scope_->p99_bytes : scope_->max_bytes;
  }

  // For a program that went on: no more survivors than a call or two of each thread have blocks.
  bool may_be_of_open_calls() const {
    const std::uint64_t calls = 2 * std::max<std::uint64_t>(1, one_.threads.size());
    return ends_early_ && scope_->survivors > 0 &&
           scope_->survivors * scope_->invocations <= scope_->blocks * calls;
  }

  // Whether the functions are known, by names that code can go by, that nearly all survivors come
  // from. They have nothing of the arena then.
  bool except_what_is_kept(candidate& arena) const {
    std::uint64_t kept = 0;
    for (const profile::keeping_function& by : scope_->kept_by) {
      if (profile::is_nameless(profile::short_name(by.function))) continue;
      arena.kept_by.push_back(by.function);
      kept += by.survivors;
      if (arena.kept_by.size() == most_kept_by) break;
    }
    if (share(kept, scope_->survivors) < kept_by_them) {
      arena.kept_by.clear();
      return false;
    }
    std::string names;
    for (const std::string& one : arena.kept_by) {
      names += (names.empty() ? "" : " and ") + profile::short_name(one);
    }
    arena.because.push_back(
        {"kept", fmt::format("{} of its {} blocks outlive the call, requested by {}: they stay "
                             "with the malloc",
                             scope_->survivors, scope_->blocks, names)});
    return true;
  }

  void describe_arena(candidate& arena) const {
    if (scope_ == nullptr) {
      arena.because.push_back(
          {"epochs",
           fmt::format("all its blocks were dead {} times; {} allocated in between, at most {}",
                       one_.epochs.count, bytes_text(one_.epochs.median_bytes),
                       bytes_text(one_.epochs.max_bytes))});
      arena.ends_with_call = false;
      arena.doubts.push_back(
          {"no function ends with all its blocks dead: release the resource yourself at such an "
           "instant"});
      return;
    }
    arena.because.push_back(
        {"arena scope",
         fmt::format("{} recorded calls, which end with {:.2f} % of their blocks dead; {} in one, "
                     "at most {}",
                     scope_->invocations, 100 * scope_->dead_share,
                     bytes_text(scope_->median_bytes), bytes_text(scope_->max_bytes))});
    arena.calls_may_be_turns = 2 * scope_->by_instant > scope_->invocations;
    arena.first_bytes = first_bytes_of(scope_->p99_bytes);
    arena.may_wink_out = scope_->survivors == 0;
    if (may_be_of_open_calls()) {
      arena.doubts.push_back(
          {fmt::format("when the trace ended, {} lived, perhaps of a call that had not returned",
                       base::counted(scope_->survivors, "block"))});
    } else if (scope_->survivors > 0 && !except_what_is_kept(arena)) {
      std::string where = "somewhere";
      if (!scope_->survivor_stacks.empty() && !scope_->survivor_stacks.front().frames.empty()) {
        where = scope_->survivor_stacks.front().frames.front();
      }
      arena.doubts.push_back(
          {fmt::format("{} of {} blocks outlive the call, most from {}: they need another resource",
                       scope_->survivors, scope_->blocks, where)});
    }
    if (scope_->confidence == "low") {
      arena.doubts.push_back(
          {"where its calls begin and end is a guess: frame addresses are not known", 1});
    }
    if (one_.total.remote_frees > 0) {
      arena.doubts.push_back(
          {"other threads free some blocks, and have to do so before the call returns"});
    }
  }

  void arenas() {
    std::string no = why_no_arena();
    // Nobody would release it, and a scope's heap ends with a call.
    if (no.empty() && !base_.where.is_cpp && scope_ == nullptr) {
      no = "a scope's heap in C needs a call that ends with its blocks dead, and it has none";
    }
    candidate& arena = add(strategy::monotonic, no);
    if (no.empty()) describe_arena(arena);
    if (!no.empty()) return;
    if (one_.dims.U.literal && *one_.dims.U.literal < low_utilization && one_.total.frees > 0) {
      candidate& pool =
          add(strategy::multipool_on_monotonic, shared() ? "other threads free its blocks" : "");
      describe_arena(pool);
    }
  }

  bool shared() const { return one_.total.remote_frees > 0; }

  void pools() {
    std::string no;
    if (one_.effective_classes > most_classes) {
      no = fmt::format("{:.0f} size classes: too many for a pool's free lists",
                       one_.effective_classes);
    }
    if (shared()) {
      candidate& own =
          add(strategy::multipool, "its blocks are freed by threads that did not allocate them");
      own.doubts.clear();
      add(strategy::synchronized_multipool, no);
      return;
    }
    candidate& pool = add(strategy::multipool, no);
    pool.one_for_each_thread = one_.threads.size() > 1;
    if (pool.one_for_each_thread) {
      pool.doubts.push_back(
          {fmt::format("{} threads use it: each needs its own pool", one_.threads.size())});
    }
  }

  void heaps() {
    const bool grows = share(one_.total.moved_bytes, one_.total.bytes) > growth_share;
    std::uint64_t large = 0;
    for (const auto& [size, count] : one_.sizes) {
      if (size > largest_pooled) large += size * count;
    }
    const bool has_large = 2 * large > one_.total.bytes;
    if (!grows && !has_large && one_.effective_classes <= most_classes) return;
    candidate& heap = add(shared() ? strategy::synchronized_heap : strategy::heap);
    if (grows) {
      heap.because.push_back(
          {"growth",
           fmt::format("reallocations copy {:.0f} % of its bytes; blocks could grow in place",
                       100 * share(one_.total.moved_bytes, one_.total.bytes))});
    }
    if (has_large) {
      heap.because.push_back(
          {"sizes", fmt::format("{:.0f} % of its bytes are in blocks larger than {}",
                                100 * share(large, one_.total.bytes), bytes_text(largest_pooled))});
    }
  }

  void one_size() {
    std::uint64_t most = 0, size = 0, all = 0;
    for (const auto& [value, count] : one_.sizes) {
      all += count;
      if (count > most) {
        most = count;
        size = value;
      }
    }
    if (all == 0 || share(most, all) < one_size_share || size > 1024) return;
    candidate& pool = add(strategy::adaptive_pool, shared() ? "other threads free its blocks" : "");
    pool.because.push_back({"nodes", fmt::format("{:.0f} % of its blocks have {} bytes",
                                                 100 * share(most, all), size)});
    pool.one_for_each_thread = one_.threads.size() > 1;
  }

  const subsystem& one_;
  const dims_result& dims_;
  const arena_scope* scope_;
  bool ends_early_;
  candidate base_;
  std::vector<candidate>& out_;
};

// A loop is no place of its own: the program's places say whether its blocks are C's, and name the
// containers that allocate.
void take_places(candidate& of_loop, const dims_result& dims,
                 const std::vector<code_place>& places) {
  constexpr std::size_t most_containers = 8;
  std::uint64_t of_c = 0, by_malloc = 0, all = 0;
  std::vector<container_use>& uses = of_loop.where.others;
  const auto add = [&](const container_use& one) {
    const std::string type = one.container.in("std::");
    const auto is_same = [&](const container_use& other) {
      return other.container.in("std::") == type;
    };
    if (type.empty() || uses.size() == most_containers) return;
    if (std::none_of(uses.begin(), uses.end(), is_same)) uses.push_back(one);
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const code_place& place = places[i];
    const std::uint64_t blocks = dims.subsystems[i].total.allocations;
    all += blocks;
    if (place.calls_malloc) by_malloc += blocks;
    if (!place.is_cpp) {
      of_c += blocks;
      continue;
    }
    add({place.container, place.file, place.line});
    for (const container_use& one : place.others) add(one);
  }
  of_loop.where.is_cpp = 2 * of_c <= all;
  of_loop.where.calls_malloc = 2 * by_malloc > all;
}

// The lines of what was seen: the loop may begin a line before that and end a line behind it.
void add_loop(const profile::arena_loop& loop, const dims_result& dims,
              const std::vector<code_place>& places, std::vector<candidate>& out) {
  const gain_bound bound = bound_of(dims.all, dims);
  candidate made;
  made.how = strategy::monotonic;
  made.where.function = loop.function;
  made.where.subsystem =
      fmt::format("loop at {}:{}", profile::file_name(loop.file), loop.first_line);
  made.where.file = loop.file;
  made.where.line = loop.first_line;
  made.loop = code_lines{loop.file, loop.first_line, loop.last_line};
  take_places(made, dims, places);
  const double part = share(loop.blocks, dims.total.allocations);
  made.allocation_ns = static_cast<std::uint64_t>(part * static_cast<double>(bound.allocation_ns));
  made.placement_ns = bound.placement_ns;
  made.bound = bound.times;
  made.first_bytes = first_bytes_of(loop.p99_bytes);
  made.one_for_each_thread = loop.threads.size() > 1;
  made.because.push_back(
      {"turns", fmt::format("{} times all blocks requested in lines {} to {} are dead: {:.1f} % of "
                            "all blocks; {} in one turn, at most {}",
                            loop.turns, loop.first_line, loop.last_line, 100 * part,
                            bytes_text(loop.median_bytes), bytes_text(loop.max_bytes))});
  if (!made.where.is_cpp) made.doubts.push_back(costs_more_in_c);
  if (loop.kept > 0) {
    made.doubts.push_back(
        {fmt::format("{} of its {} blocks outlive their turn: they need another resource",
                     loop.kept, loop.blocks)});
  }
  if (loop.max_bytes > much_memory) {
    made.refused = fmt::format("an arena would hold {} in one turn", bytes_text(loop.max_bytes));
  }
  // It holds what no function does: the most there is to gain.
  out.insert(out.begin(), std::move(made));
}

// Arenas of functions serve nearly all of it already.
bool is_served(const profile::arena_loop& loop, const dims_result& dims) {
  constexpr double most = 0.8;
  std::uint64_t served = 0;
  for (const arena_scope& one : dims.arena_scopes) {
    if (!one.trunk && !one.root && !one.marked) served += one.blocks;
  }
  return static_cast<double>(served) > most * static_cast<double>(loop.blocks);
}

}  // namespace

std::vector<candidate> find_candidates(const dims_result& dims,
                                       const std::vector<code_place>& places, bool ends_early) {
  std::vector<std::size_t> order(dims.subsystems.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> bounds;
  for (const subsystem& one : dims.subsystems) bounds.push_back(bound_of(one, dims).times);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return bounds[a] != bounds[b] ? bounds[a] > bounds[b] : a < b;
  });
  std::vector<candidate> out;
  for (const std::size_t i : order) {
    // Blocks of no subsystem have no place where a resource would go.
    if (bounds[i] < least_gain || dims.subsystems[i].name.starts_with('(')) continue;
    finder(dims.subsystems[i], places[i], dims, ends_early, out).find();
  }
  for (const profile::arena_loop& one : dims.loops) {
    constexpr double least_blocks = 0.1;
    if (share(one.blocks, dims.total.allocations) < least_blocks || is_served(one, dims)) continue;
    add_loop(one, dims, places, out);
    break;
  }
  return out;
}

}  // namespace mallard::advise
