#include "replay/decode.hpp"

#include <gmock/gmock.h>

#include "profile/trace_script.hpp"

namespace mallard::replay {
namespace {

using profile::trace_reader;
using profile::trace_script;
using testing::HasSubstr;

// Ten requests of five blocks each, of which the third leaves one to a cache that never ends.
void write_server(trace_script& script) {
  std::uint64_t kept = 0;
  script.call("main", 1, [&] {
    script.call("cache", 2, [&] {
      for (std::uint64_t i = 0; i < 8; ++i) script.allocate(3, 5000);
    });
    for (int request = 0; request < 10; ++request) {
      script.call("handle", 4 + static_cast<std::uint64_t>(request % 2), [&] {
        std::vector<std::uint64_t> blocks;
        for (int i = 0; i < 20; ++i) blocks.push_back(script.allocate(6, 24));
        const std::uint64_t text = script.allocate(7, 100);
        const std::uint64_t grown = script.reallocate(8, text, 200);
        if (request == 3) {
          kept = grown;
        } else {
          script.free(9, grown);
        }
        for (const std::uint64_t one : blocks) script.free(10, one);
      });
    }
    script.free(20, kept);
  });
  script.finish();
}

// The trace that a test writes.
class decoding : public testing::Test {
 protected:
  program decoded(std::string_view subsystem, const decode_options& options = {}) const {
    trace_reader trace(file.path());
    return trace_decoder(trace, options).decode(subsystem);
  }

  scratch_file file;
  trace_script script{file.path()};
};
using what_cannot_be_replayed = decoding;

decode_options grouped_by(profile::grouping by) {
  decode_options options;
  options.grouping.by = by;
  return options;
}

struct counted {
  std::size_t own = 0, last = 0, ends = 0;
};
counted count(const program& made) {
  counted all;
  for (const auto& lane : made.lanes) {
    for (const operation& one : lane) {
      all.own += one.own();
      all.last += (one.what & operation::last_bit) != 0;
      all.ends += one.kind() == verb::end_epoch;
    }
  }
  return all;
}

TEST_F(decoding, replays_every_recorded_operation) {
  write_server(script);
  const program made = decoded(whole_program);
  EXPECT_EQ(made.facts.allocations, 8u + 10 * 21);
  EXPECT_EQ(made.facts.reallocations, 10u);
  EXPECT_EQ(made.facts.frees, 10u * 21);
  EXPECT_EQ(made.facts.operations, 8u + 10 * 43);
  EXPECT_EQ(made.facts.unknown_frees, 0u);
  EXPECT_EQ(made.lanes.size(), 1u);
}

TEST_F(decoding, ends_an_epoch_with_each_invocation_of_the_arena_scope) {
  write_server(script);
  const program made = decoded("handle");
  EXPECT_EQ(made.scope, "handle");
  EXPECT_EQ(made.facts.epochs, 10u);
  EXPECT_EQ(count(made).ends, 10u);
  EXPECT_TRUE(made.facts.is_bounded());
  EXPECT_EQ(made.facts.largest_epoch_bytes, 20u * 32 + 112 + 208);
}

TEST_F(decoding, gives_what_survives_an_invocation_to_the_global_heap_from_its_birth_on) {
  write_server(script);
  const program made = decoded("handle");
  EXPECT_EQ(made.facts.survivors, 1u);
  // Its allocation, reallocation (with the block as it was) and free are missing.
  EXPECT_EQ(count(made).own, 10u * (2 * 20 + 4) - 4);
}

TEST_F(decoding, marks_the_frees_that_winking_out_would_leave_out) {
  write_server(script);
  EXPECT_EQ(count(decoded("handle")).last, 10u * 21 - 1);
}

TEST_F(decoding, without_a_scope_ends_an_epoch_when_nothing_lives) {
  script.call("main", 1, [&] {
    for (int round = 0; round < 3; ++round) {
      std::uint64_t a = 0, b = 0;
      // Made in one function and freed in another: no function's return ends them.
      script.call("make", 2, [&] {
        a = script.allocate(3, 12000);
        b = script.allocate(4, 12000);
      });
      script.call("drop", 5, [&] {
        script.free(6, a);
        script.free(7, b);
      });
    }
    script.call("make", 2, [&] { script.allocate(3, 16); });
  });
  script.finish();
  const program made = decoded("make");
  EXPECT_FALSE(made.facts.by_scope);
  EXPECT_EQ(made.facts.epochs, 3u);
  EXPECT_EQ(made.facts.own_left, 1u);
}

TEST_F(decoding, says_that_a_monotonic_resource_would_grow_without_bound) {
  script.call("main", 1, [&] {
    // Each call frees what the one before allocated.
    std::uint64_t before = script.allocate(1, 1000);
    for (int i = 0; i < 100; ++i) {
      script.call("ring", 2, [&] {
        const std::uint64_t next = script.allocate(4, 1000);
        script.free(5, before);
        before = next;
      });
    }
  });
  script.finish();
  EXPECT_FALSE(decoded("ring").facts.is_bounded());
}

TEST_F(decoding, keeps_think_time_and_scales_it_to_the_operations) {
  script.call("main", 1, [&] {
    for (int i = 0; i < 10; ++i) {
      script.pass(10000);
      const std::uint64_t block = script.allocate(2, 16, 30);
      script.free(3, block, 30);
    }
  });
  script.finish();
  decode_options options;
  options.think = think_time::recorded;
  const std::uint64_t recorded = decoded(whole_program, options).facts.think_ns;
  EXPECT_GE(recorded, 9u * 9900);
  options.think = think_time::scaled;
  const std::uint64_t scaled = decoded(whole_program, options).facts.think_ns;
  EXPECT_LE(scaled, 20u * 30);
  EXPECT_GE(scaled, 20u * 30 / 2);
}

TEST_F(decoding, gives_threads_that_do_not_meet_one_lane) {
  for (std::uint32_t thread = 0; thread < 5; ++thread) {
    script.on_thread(thread);
    script.call("work", 1, [&] { script.free(3, script.allocate(2, 64)); });
  }
  script.finish();
  EXPECT_EQ(decoded(whole_program).lanes.size(), 1u);
}

TEST_F(decoding, finds_walks_in_the_order_of_birth) {
  script.call("main", 1, [&] {
    std::vector<std::uint64_t> blocks;
    for (int i = 0; i < 40; ++i) blocks.push_back(script.allocate(2, 64));
    for (const std::uint64_t one : blocks) script.free(3, one);
  });
  script.finish();
  const program made = decoded(whole_program);
  ASSERT_EQ(made.walks.size(), 40u);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(made.walks[i], made.lanes[0][i].slot);
  EXPECT_EQ(made.lanes[0][40].kind(), verb::walk);
}

std::string complaint(const std::string& path, std::string_view subsystem,
                      const decode_options& options = {}) {
  try {
    trace_reader trace(path);
    trace_decoder(trace, options).decode(subsystem);
  } catch (const replay_error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST_F(what_cannot_be_replayed, is_an_empty_trace) {
  script.finish();
  EXPECT_THAT(complaint(file.path(), whole_program), HasSubstr("empty"));
}

TEST_F(what_cannot_be_replayed, is_a_trace_without_stacks) {
  script.allocate(1, 16);
  script.finish();
  EXPECT_THAT(complaint(file.path(), whole_program), HasSubstr("no stacks"));
}

TEST_F(what_cannot_be_replayed, is_a_subsystem_that_is_not_there_and_the_nearest_are_named) {
  write_server(script);
  EXPECT_THAT(complaint(file.path(), "handel"),
              HasSubstr("there is no subsystem 'handel'; the nearest are handle"));
}

TEST_F(what_cannot_be_replayed, is_a_trace_of_another_architecture) {
  const scratch_file other("other");
  profile::process_info about;
  about.architecture = "pdp11";
  trace_script of_other(other.path(), about);
  write_server(of_other);
  EXPECT_THAT(complaint(other.path(), whole_program), HasSubstr("is of a program on pdp11"));
}

TEST_F(what_cannot_be_replayed, is_what_a_resource_hands_out) {
  write_server(script);
  EXPECT_THAT(complaint(file.path(), whole_program, grouped_by(profile::grouping::resource)),
              HasSubstr("not heap operations"));
}

// Two threads in a scope and outside of it: 4 blocks inside of the first thread, 2 of the second.
void write_scopes(trace_script& script) {
  for (std::uint32_t thread = 0; thread < 2; ++thread) {
    script.on_thread(thread);
    script.call("main", 1, [&] {
      script.free(2, script.allocate(3, 100));
      script.enter_scope("request");
      for (std::uint32_t i = 0; i < 4 - 2 * thread; ++i) script.free(4, script.allocate(5, 32));
      script.enter_scope("inner");
      script.free(6, script.allocate(7, 32));
      script.leave_scope("inner");
      script.leave_scope("request");
    });
  }
  script.finish();
}

TEST_F(decoding, takes_what_is_asked_for_in_a_scope) {
  write_scopes(script);
  trace_reader trace(file.path());
  trace_decoder decoder(trace, grouped_by(profile::grouping::scope));
  EXPECT_THAT(decoder.subsystems(), testing::UnorderedElementsAre("request", "inner", "(none)"));
  EXPECT_EQ(decoder.decode("request").facts.own_allocations, 6u);
  EXPECT_EQ(decoder.decode("inner").facts.own_allocations, 2u);
  EXPECT_EQ(decoder.decode("(none)").facts.own_allocations, 2u);
}

TEST_F(decoding, takes_what_a_thread_asks_for) {
  write_scopes(script);
  EXPECT_EQ(decoded("thread 0", grouped_by(profile::grouping::thread)).facts.own_allocations, 6u);
  EXPECT_EQ(decoded("thread 1", grouped_by(profile::grouping::thread)).facts.own_allocations, 4u);
}

}  // namespace
}  // namespace mallard::replay
