#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <mutex>

#include "profile/trace_script.hpp"
#include "replay/decode.hpp"
#include "replay/run_lanes.hpp"

namespace mallard::replay {
namespace {

using profile::trace_reader;
using profile::trace_script;

[[noreturn]] void fail(std::string_view why) {
  ADD_FAILURE() << why;
  std::abort();
}

// Knows what lives, and that what is given back is what was handed out.
class ledger {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, bool zero, bool by_new) {
    void* const p = heap_.allocate(bytes, alignment, zero, by_new);
    const std::scoped_lock lock(mutex_);
    EXPECT_TRUE(live_.emplace(p, std::pair(bytes, alignment)).second);
    ++allocations;
    return p;
  }
  void* reallocate(void* p, std::size_t old_bytes, std::size_t old_alignment, std::size_t bytes,
                   std::size_t alignment) {
    void* const moved = allocate(bytes, alignment, false, false);
    deallocate(p, old_bytes, old_alignment, false);
    return moved;
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment, bool by_new) {
    const std::scoped_lock lock(mutex_);
    const auto found = live_.find(p);
    ASSERT_NE(found, live_.end());
    EXPECT_EQ(found->second, std::pair(bytes, alignment));
    live_.erase(found);
    heap_.deallocate(p, bytes, alignment, by_new);
    ++frees;
  }
  void end_epoch(bool) { ++epochs; }
  std::size_t live() const { return live_.size(); }
  ~ledger() {
    for (const auto& one : live_) heap_.deallocate(one.first, 0, 0);
  }

  std::size_t allocations = 0, frees = 0;
  std::atomic<std::size_t> epochs{0};

 private:
  std::mutex mutex_;
  std::map<void*, std::pair<std::size_t, std::size_t>> live_;
  global_heap heap_;
};

// The same one for all lanes.
class shared_ledger {
 public:
  static constexpr bool has_memory = true;
  explicit shared_ledger(ledger& book) : book_(&book) {}
  void* allocate(std::size_t bytes, std::size_t alignment, bool zero, bool by_new) {
    return book_->allocate(bytes, alignment, zero, by_new);
  }
  void* reallocate(void* p, std::size_t old_bytes, std::size_t old_alignment, std::size_t bytes,
                   std::size_t alignment) {
    return book_->reallocate(p, old_bytes, old_alignment, bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment, bool by_new) {
    book_->deallocate(p, bytes, alignment, by_new);
  }
  void end_epoch(bool winks) { book_->end_epoch(winks); }

 private:
  ledger* book_;
};

run_result play_into(ledger& book, const program& made, const play_setting& how) {
  const shared_program shared(made);
  const program_view view(shared.file());
  run_setting setting;
  setting.play = how;
  return detail::run_lanes<shared_ledger, global_heap>(
      view, setting, 0, fail, [&](auto) { return std::make_unique<shared_ledger>(book); });
}

void write_parser(trace_script& script) {
  script.call("main", 1, [&] {
    script.allocate(2, 5000);
    for (int round = 0; round < 4; ++round) {
      script.call("parse", 3, [&] {
        std::vector<std::uint64_t> blocks;
        for (std::uint64_t i = 0; i < 50; ++i) blocks.push_back(script.allocate(4, 8 * i + 1));
        blocks[7] = script.reallocate(5, blocks[7], 4000);
        for (const std::uint64_t one : blocks) script.free(6, one);
      });
    }
  });
  script.finish();
}

// Blocks are made by one thread and freed by another, back and forth; some are grown on the way.
void write_exchange(trace_script& script) {
  std::vector<std::uint64_t> passed;
  for (int turn = 0; turn < 60; ++turn) {
    script.on_thread(static_cast<std::uint32_t>(turn % 3));
    script.call("exchange", 1, [&] {
      for (std::uint64_t& block : passed) {
        if (turn % 5 == 0) block = script.reallocate(2, block, 300);
      }
      for (std::size_t i = 0; i < passed.size(); i += 2) script.free(3, passed[i]);
      std::vector<std::uint64_t> left;
      for (std::size_t i = 1; i < passed.size(); i += 2) left.push_back(passed[i]);
      passed = left;
      for (std::uint64_t i = 0; i < 5; ++i) passed.push_back(script.allocate(4, 40 + i));
      script.free(6, script.allocate(5, 64));
    });
  }
  script.on_thread(0);
  script.call("exchange", 1, [&] {
    for (const std::uint64_t one : passed) script.free(7, one);
  });
  script.finish();
}

program decoded(void (*write)(trace_script&), std::string_view subsystem,
                const decode_options& options = {}) {
  const scratch_file file;
  trace_script script(file.path());
  write(script);
  trace_reader trace(file.path());
  return trace_decoder(trace, options).decode(subsystem);
}

TEST(replaying, does_what_was_recorded_to_the_subsystems_memory) {
  const program made = decoded(write_parser, "parse");
  ledger book;
  const run_result result = play_into(book, made, {.touch = touch_level::walk});
  EXPECT_EQ(result.done, made.facts.operations);
  EXPECT_EQ(book.allocations, 4u * 51);
  EXPECT_EQ(book.frees, 4u * 51);
  EXPECT_EQ(book.epochs, 4u);
  EXPECT_EQ(book.live(), 0u);
}

TEST(replaying, leaves_out_the_last_frees_when_winking_out) {
  const program made = decoded(write_parser, "parse");
  ledger book;
  const run_result result = play_into(book, made, {.winks = true});
  EXPECT_EQ(result.done, made.facts.operations);
  EXPECT_EQ(book.frees, 4u);  // what the reallocations gave back
}

// waits: the order `partial`; else `free-run`.
void expect_every_block_freed_once(bool waits) {
  const program made = decoded(write_exchange, whole_program);
  ASSERT_EQ(made.lanes.size(), 3u);
  ASSERT_GT(made.facts.handed, 50u);
  for (int round = 0; round < 3; ++round) {
    ledger book;
    const play_setting how{.touch = touch_level::all, .waits = waits};
    const run_result result = play_into(book, made, how);
    EXPECT_EQ(result.done, made.facts.operations);
    EXPECT_EQ(book.live(), 0u);
    EXPECT_EQ(book.allocations, made.facts.allocations + made.facts.reallocations);
  }
}

TEST(replaying, frees_every_block_once_where_lanes_wait_for_each_other) {
  expect_every_block_freed_once(true);
}

TEST(replaying, frees_every_block_once_where_nobody_waits) {
  expect_every_block_freed_once(false);
}

TEST(replaying, one_lane_does_everything_in_the_recorded_order) {
  const program made = decoded(write_exchange, whole_program, {.one_lane = true});
  ASSERT_EQ(made.lanes.size(), 1u);
  EXPECT_EQ(made.facts.handed, 0u);
  ledger book;
  EXPECT_EQ(play_into(book, made, {}).done, made.facts.operations);
  EXPECT_EQ(book.live(), 0u);
}

struct strategy_of {
  const char* name;
  const char* library;
};

TEST(every_strategy, replays_all_operations) {
  const shared_program shared(decoded(write_parser, "parse"));
  const program_view view(shared.file());
  for (const char* library : {"", "mallard", "std", "boost"}) {
    std::vector<std::string> names = {"sync", "mutex",     "nothing", "loop",
                                      "heap", "sync-heap", "adaptive"};
    for (int i = 1; i <= 14; ++i) names.push_back("AS" + std::to_string(i));
    std::size_t found = 0;
    for (const std::string& name : names) {
      const run_function run = find_run(name, library);
      if (!run) continue;
      ++found;
      run_setting how;
      how.play.touch = touch_level::walk;
      how.play.winks = is_winked_out(name);
      how.play.thinks = true;
      how.pollution_bytes = 1u << 16;
      EXPECT_EQ(run(view, how, fail).done, view.facts().operations) << name << "@" << library;
    }
    const std::string_view which = library;
    const std::size_t resources = which == "mallard" ? 17 : which == "boost" && found == 0 ? 0 : 14;
    EXPECT_EQ(found, which.empty() ? 4u : resources) << library;
  }
}

TEST(shared_strategies, replay_blocks_that_pass_between_threads) {
  const shared_program shared(decoded(write_exchange, whole_program));
  const program_view view(shared.file());
  for (const char* name : {"sync", "mutex", "sync-heap"}) {
    run_setting how;
    how.play.touch = touch_level::all;
    EXPECT_EQ(find_run(name, "mallard")(view, how, fail).done, view.facts().operations) << name;
    EXPECT_TRUE(is_shared(name));
  }
}

TEST(aged_heaps, leave_the_program_to_replay_as_it_was) {
  const shared_program shared(decoded(write_parser, whole_program));
  const program_view view(shared.file());
  age_by_sizes(view, 1);
  EXPECT_EQ(find_run("AS1", no_library)(view, {}, fail).done, view.facts().operations);
}

}  // namespace
}  // namespace mallard::replay
