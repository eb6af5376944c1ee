// Arena scopes of programs whose answers are known. Every test says what a person who reads the
// program would say.
#include "profile/arena_scopes.hpp"

#include <gmock/gmock.h>

#include "profile/analysis.hpp"
#include "profile/trace/lacks.hpp"
#include "profile/trace_script.hpp"

namespace mallard::profile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class arena_scopes_test : public testing::Test {
 protected:
  explicit arena_scopes_test(const process_info& process = trace_script::default_process())
      : script(file.path(), process) {}
  void result() {
    script.finish();
    trace_reader reader(file.path());
    EXPECT_THAT(reader.problems(), IsEmpty());
    dims = analyse(reader, function_table(reader), options);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& one : dims.arena_scopes) out.push_back(one.function);
    return out;
  }
  const arena_scope& scope(const std::string& name) const {
    for (const auto& one : dims.arena_scopes) {
      if (one.function == name) return one;
    }
    ADD_FAILURE() << "no arena scope " << name;
    static const arena_scope none;
    return none;
  }
  // Something of main's own that stays, so that main is none.
  void keep(std::uint64_t line) {
    for (int i = 0; i < 200; ++i) script.allocate(line, 8);
  }
  void in_main(const std::function<void()>& body) { script.call("main", 1, body); }
  // The result of a program whose main keeps something and then does the same again and again.
  void in_turns(int turns, const std::function<void(int)>& body) {
    in_main([&] {
      keep(2);
      for (int i = 0; i < turns; ++i) body(i);
    });
    result();
  }

  scratch_file file;
  trace_script script;
  analysis_options options;
  dims_result dims;
};

// Allocates and frees `blocks` blocks of 100 bytes, all alive together.
void work(trace_script& script, int blocks) {
  std::vector<std::uint64_t> mine;
  for (int i = 0; i < blocks; ++i) mine.push_back(script.allocate(10, 100));
  for (const std::uint64_t one : mine) script.free(20, one);
}

// Its arena would not fit the cache.
TEST_F(arena_scopes_test, a_function_inside_one_that_requests_too_much_is_the_better_place) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 20;
  in_turns(20, [&](int) {
    script.call("search", 5, [&] {
      script.free(6, script.allocate(6, 16));
      for (int i = 0; i < 100; ++i) {
        script.call("match", 7, [&] { script.free(11, script.allocate(10, bytes)); });
      }
    });
    script.allocate(6, 8);
  });
  EXPECT_THAT(names(), ElementsAre("match"));
}

TEST_F(arena_scopes_test, a_function_whose_blocks_all_die_in_it_is_one) {
  in_turns(50, [&](int i) {
    script.call("parse", 5, [&] { work(script, i + 1); });
    script.allocate(6, 8);  // seen in main: parse has returned
  });
  ASSERT_THAT(names(), ElementsAre("parse"));
  const arena_scope& parse = scope("parse");
  EXPECT_EQ(parse.invocations, 50u);
  EXPECT_EQ(parse.by_instant, 0u);
  EXPECT_EQ(parse.blocks, 50u * 51 / 2);
  EXPECT_EQ(parse.dead_share, 1.0);
  EXPECT_EQ(parse.survivors, 0u);
  EXPECT_EQ(parse.median_bytes, 2500u);
  EXPECT_EQ(parse.p99_bytes, 5000u);
  EXPECT_EQ(parse.max_bytes, 5000u);
  EXPECT_THAT(parse.threads, ElementsAre(0u));
  EXPECT_EQ(parse.confidence, "high");
}

TEST_F(arena_scopes_test,
       calls_with_nothing_between_them_are_told_apart_by_the_instant_when_nothing_lives) {
  in_main([&] {
    keep(2);
    for (int i = 0; i < 100; ++i) script.call("parse", 5, [&] { work(script, 7); });
    script.allocate(6, 8);
  });
  result();
  ASSERT_THAT(names(), ElementsAre("parse"));
  EXPECT_EQ(scope("parse").invocations, 100u);
  EXPECT_EQ(scope("parse").by_instant, 99u);
  EXPECT_EQ(scope("parse").confidence, "medium");
  EXPECT_EQ(scope("parse").median_bytes, 700u);
  EXPECT_EQ(scope("parse").max_bytes, 700u);
}

class arena_scopes_of_late_recordings : public arena_scopes_test {
 protected:
  static process_info late() {
    process_info process = trace_script::default_process();
    process.not_recorded = {the_start};
    return process;
  }
  arena_scopes_of_late_recordings() : arena_scopes_test(late()) {}
};

class arena_scopes_of_cut_stacks : public arena_scopes_test {
 protected:
  static process_info with_three_frames() {
    process_info process = trace_script::default_process();
    process.stack_depth = 3;
    return process;
  }
  arena_scopes_of_cut_stacks() : arena_scopes_test(with_three_frames()) {}
  // Calls itself so often, and holds a block in each call.
  void descend(int times) {
    const std::uint64_t block = script.allocate(3, 100);
    if (times > 0) script.call("descend", 4, [&] { descend(times - 1); });
    script.free(5, block);
  }
};

TEST_F(arena_scopes_of_cut_stacks, count_what_is_allocated_below_the_cut) {
  in_turns(100, [&](int) {
    script.call("solve", 7, [&] {
      const std::uint64_t first = script.allocate(2, 100);
      script.call("descend", 3, [&] {
        script.depth_ = 3;
        descend(9);
        script.depth_ = SIZE_MAX;
      });
      script.free(4, first);
    });
  });
  ASSERT_THAT(names(), testing::Contains("solve"));
  EXPECT_EQ(scope("solve").invocations, 100u);
  EXPECT_EQ(scope("solve").median_bytes, 1'100u);
  EXPECT_THAT(dims.not_recorded, ElementsAre("the outer frames of the deepest stacks"));
}

TEST_F(arena_scopes_of_cut_stacks, take_no_whole_stack_for_a_cut_one) {
  in_turns(100, [&](int) {
    script.call("solve", 7, [&] { script.call("descend", 3, [&] { descend(9); }); });
  });
  ASSERT_THAT(names(), ElementsAre("solve"));
  EXPECT_EQ(scope("solve").median_bytes, 1'000u);
  EXPECT_THAT(dims.not_recorded, IsEmpty());
}

// A function whose code begins at a higher address than the place where the recording joins it.
TEST_F(arena_scopes_of_late_recordings, tell_the_call_that_they_join_from_those_that_follow) {
  const auto rest_of_it = [&] { script.free(30, script.allocate(5, 64)); };
  in_main([&] {
    script.call("handle", 5, rest_of_it);
    for (int i = 0; i < 100; ++i) {
      script.call("handle", 5, [&] {
        const std::uint64_t first = script.allocate(20, 100);
        rest_of_it();
        script.free(31, first);
      });
    }
    keep(6);
  });
  result();
  ASSERT_THAT(names(), ElementsAre("handle"));
  EXPECT_EQ(scope("handle").invocations, 100u);  // the first two are taken for one
  EXPECT_EQ(scope("handle").median_bytes, 164u);
}

// The first events come from a function that holds a block when the next do.
TEST_F(arena_scopes_of_late_recordings, take_no_place_for_lifeless_below_which_a_block_lives) {
  const auto g = [&] {
    const std::uint64_t held = script.allocate(3, 50);
    script.free(5, script.allocate(4, 50));
    script.free(6, held);
  };
  in_main([&] {
    script.call("handle", 5, [&] { script.call("g", 25, g); });
    for (int i = 0; i < 10; ++i) {
      script.call("handle", 5, [&] {
        script.free(21, script.allocate(20, 1000));
        script.call("g", 25, g);
      });
    }
    keep(6);
  });
  result();
  EXPECT_EQ(scope("handle").invocations, 10u);
}

TEST_F(arena_scopes_test, a_part_of_a_trace_joins_calls_as_a_late_recording_does) {
  in_main([&] {
    for (int i = 0; i < 100; ++i) {
      script.call("handle", 5, [&] {
        const std::uint64_t first = script.allocate(20, 100);
        if (i == 50) options.part.from = script.time() + 1;
        script.free(30, script.allocate(5, 64));
        script.free(31, first);
      });
    }
    keep(6);
  });
  result();
  EXPECT_EQ(scope("handle").invocations, 49u);
}

TEST_F(arena_scopes_test, a_wrapper_of_a_call_is_called_as_often_as_the_call) {
  in_turns(30, [&](int) {
    script.call("outer", 5, [&] { script.call("inner", 7, [&] { work(script, 7); }); });
  });
  ASSERT_THAT(names(), ElementsAre("outer"));
  EXPECT_EQ(scope("outer").invocations, 30u);
}

TEST_F(arena_scopes_test, one_after_another_in_one_invocation_is_one_invocation) {
  in_turns(10, [&](int) {
    script.call("parse", 5, [&] {
      script.free(11, script.allocate(10, 64));
      script.free(13, script.allocate(12, 64));  // nothing lives between, but code goes on
    });
    script.allocate(6, 8);
  });
  EXPECT_EQ(scope("parse").invocations, 10u);
  EXPECT_EQ(scope("parse").median_bytes, 128u);
}

TEST_F(arena_scopes_test, survivors_up_to_one_percent_are_named) {
  std::vector<std::uint64_t> kept;
  in_main([&] {
    keep(2);
    for (int i = 0; i < 20; ++i) {
      script.call("load", 5, [&] {
        work(script, 199);
        script.call("remember", 30, [&] { kept.push_back(script.allocate(40, 16)); });
      });
      script.allocate(6, 8);
    }
    for (const auto one : kept) script.free(7, one);
  });
  result();
  ASSERT_THAT(names(), ElementsAre("load"));
  const arena_scope& load = scope("load");
  EXPECT_EQ(load.survivors, 20u);
  EXPECT_DOUBLE_EQ(load.dead_share, 0.995);
  ASSERT_EQ(load.survivor_stacks.size(), 1u);
  EXPECT_THAT(load.survivor_stacks[0].frames, ElementsAre("remember", "load", "main"));
  EXPECT_EQ(load.survivor_stacks[0].blocks, 20u);
  EXPECT_EQ(load.survivor_stacks[0].bytes, 320u);
}

TEST_F(arena_scopes_test, calls_of_a_handler_that_fills_a_cache_are_told_apart) {
  in_turns(100, [&](int) {
    script.call("handle", 5, [&] {
      work(script, 199);
      script.call("remember", 30, [&] { script.allocate(40, 16); });
    });
  });
  ASSERT_THAT(names(), ElementsAre("handle"));
  const arena_scope& handle = scope("handle");
  EXPECT_FALSE(handle.trunk);
  EXPECT_EQ(handle.invocations, 100u);
  EXPECT_EQ(handle.survivors, 100u);
  EXPECT_EQ(handle.max_bytes, 199u * 100 + 16);
  ASSERT_EQ(handle.kept_by.size(), 1u);
  EXPECT_EQ(handle.kept_by[0].function, "remember");
  EXPECT_EQ(handle.kept_by[0].blocks, 100u);
  EXPECT_EQ(handle.kept_by[0].survivors, 100u);
}

// In between the thread is seen outside only when the list of results grows.
TEST_F(arena_scopes_test, calls_whose_results_are_kept_in_a_growing_list_are_told_apart) {
  in_main([&] {
    for (int i = 0; i < 100; ++i) {
      script.call("handle", 5, [&] {
        work(script, 199);
        script.call("result", 30, [&] { script.allocate(40, 16); });
      });
      if ((i & (i + 1)) == 0) script.allocate(6, 16);
    }
  });
  result();
  EXPECT_EQ(scope("handle").invocations, 100u);
  EXPECT_EQ(scope("handle").survivors, 100u);
  EXPECT_EQ(scope("handle").max_bytes, 199u * 100 + 16);
}

// The call in which the recording ends has no survivors yet.
TEST_F(arena_scopes_test, calls_beside_a_cache_that_is_full_are_told_apart) {
  script.end_ = end_kind::unknown;
  std::vector<std::uint64_t> cache;
  in_turns(1000, [&](int i) {
    script.call("handle", 5, [&] {
      work(script, 199);
      if (i % 10 != 0) return;
      script.call("remember", 30, [&] {
        cache.push_back(script.allocate(40, 16));
        if (cache.size() <= 50) return;
        script.free(41, cache.front());
        cache.erase(cache.begin());
      });
    });
  });
  EXPECT_EQ(scope("handle").invocations, 1000u);
  EXPECT_THAT(scope("handle").kept_by, testing::SizeIs(1));
}

TEST_F(arena_scopes_test, a_call_whose_thread_waits_for_long_is_one) {
  in_turns(100, [&](int i) {
    script.call("handle", 5, [&] {
      std::vector<std::uint64_t> mine;
      for (int j = 0; j < 100; ++j) {
        mine.push_back(script.allocate(10, 100));
        if (i == 50 && j == 50) script.pass(1'000'000'000);
        script.free(12, script.allocate(11, 50));
      }
      for (const std::uint64_t one : mine) script.free(20, one);
      script.call("remember", 30, [&] { script.allocate(40, 16); });
    });
  });
  EXPECT_EQ(scope("handle").invocations, 100u);
  EXPECT_EQ(scope("handle").survivors, 100u);
}

TEST_F(arena_scopes_test,
       calls_that_were_asked_for_are_told_apart_though_a_third_of_their_blocks_stays) {
  options.scopes_asked_for = {"^handle$"};
  in_turns(100, [&](int) {
    script.call("handle", 5, [&] {
      work(script, 20);
      script.call("remember", 30, [&] {
        for (int j = 0; j < 10; ++j) script.allocate(40, 16);
      });
    });
  });
  EXPECT_EQ(scope("handle").invocations, 100u);
  EXPECT_EQ(scope("handle").survivors, 1000u);
  EXPECT_EQ(scope("handle").max_blocks, 30u);
}

TEST_F(arena_scopes_test, what_all_its_calls_have_in_common_keeps_nothing) {
  in_turns(100, [&](int i) {
    script.call("handle", 5, [&] {
      work(script, 199);
      script.call("make", 30, [&] {
        if (i % 2 == 0) script.allocate(40, 16);
      });
      for (int j = 0; j < 9; ++j) {
        script.call("make", 31, [&] { script.free(41, script.allocate(40, 16)); });
      }
    });
  });
  EXPECT_EQ(scope("handle").survivors, 50u);
  EXPECT_THAT(scope("handle").kept_by, IsEmpty());
}

TEST_F(arena_scopes_test, a_result_that_grows_in_a_loop_does_not_make_the_loops_turns_calls) {
  in_turns(100, [&](int) {
    script.call("load", 5, [&] {
      std::vector<std::uint64_t> result;
      for (int turn = 0; turn < 10; ++turn) {
        script.call("parse", 6, [&] { work(script, 20); });
        result.push_back(script.allocate(7, 16));
      }
      for (const std::uint64_t one : result) script.free(8, one);
    });
    script.allocate(9, 8);
  });
  EXPECT_EQ(scope("load").invocations, 100u);
  EXPECT_EQ(scope("load").survivors, 0u);
}

TEST_F(arena_scopes_test, what_its_caller_frees_has_survived_it) {
  in_turns(50, [&](int) {
    std::uint64_t made = 0;
    script.call("make", 5, [&] { made = script.allocate(10, 100); });
    script.free(6, made);
  });
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(arena_scopes_test, the_outermost_is_the_one_named) {
  in_turns(10, [&](int) {
    script.call("request", 5, [&] {
      const std::uint64_t own = script.allocate(7, 10);
      for (int k = 0; k < 5; ++k) script.call("query", 8, [&] { work(script, 3); });
      script.free(9, own);
    });
    script.allocate(6, 8);
  });
  ASSERT_THAT(names(), ElementsAre("request"));
  EXPECT_EQ(scope("request").invocations, 10u);
  EXPECT_EQ(scope("request").max_bytes, 1510u);
}

TEST_F(arena_scopes_test, a_function_of_a_librarys_header_is_none_and_its_caller_is) {
  script.files_["sax_parse_internal"] = "/usr/include/nlohmann/detail/input/parser.hpp";
  in_turns(50, [&](int i) {
    script.call("read_request", 5, [&] {
      script.call("sax_parse_internal", 6, [&] { work(script, i + 1); });
      script.call("boost::json::parse(std::string const&)", 7, [&] { work(script, i + 1); });
    });
  });
  EXPECT_THAT(names(), ElementsAre("read_request"));
  EXPECT_THAT(dims.subsystems, testing::Not(testing::Contains(testing::Field(
                                   &subsystem::name, testing::StartsWith("sax_parse")))));
}

TEST_F(arena_scopes_test, a_function_that_is_in_a_librarys_header_at_one_of_its_places_is_one) {
  script.files_["handle"] = "/src/server.cpp";
  script.header_line_ = 10;  // where work() allocates
  in_turns(50, [&](int i) { script.call("handle", 5, [&] { work(script, i + 1); }); });
  EXPECT_THAT(names(), ElementsAre("handle"));
}

TEST_F(arena_scopes_test, the_function_of_threads_is_named_where_others_have_few_blocks) {
  for (std::uint32_t thread = 1; thread <= 20; ++thread) script.on_thread(thread);
  script.on_thread(0);
  in_main([&] {
    script.call("print", 5, [&] { work(script, 2); });
    for (std::uint32_t thread = 1; thread <= 20; ++thread) {
      script.on_thread(thread);
      script.call("start_thread", 1, [&] { script.call("job", 2, [&] { work(script, 50); }); });
      script.on_thread(0);
    }
    script.allocate(6, 8);
  });
  result();
  EXPECT_THAT(names(), ElementsAre("job", "print"));
}

TEST_F(arena_scopes_test, a_library_that_main_calls_itself_is_no_place_for_an_arena) {
  script.files_["sax_parse_internal"] = "/usr/include/nlohmann/detail/input/parser.hpp";
  in_turns(50, [&](int i) { script.call("sax_parse_internal", 6, [&] { work(script, i + 1); }); });
  EXPECT_THAT(names(), testing::Not(testing::Contains("sax_parse_internal")));
}

TEST_F(arena_scopes_test, recursion_is_part_of_the_outermost_invocation) {
  in_main([&] {
    keep(2);
    const std::function<void(int)> descend = [&](int depth) {
      const std::uint64_t mine = script.allocate(10, 50);
      if (depth > 0) script.call("descend", 11, [&] { descend(depth - 1); });
      script.free(12, mine);
    };
    for (int i = 0; i < 10; ++i) {
      script.call("descend", 5, [&] { descend(9); });
      script.allocate(6, 8);
    }
  });
  result();
  ASSERT_THAT(names(), ElementsAre("descend"));
  EXPECT_EQ(scope("descend").invocations, 10u);
  EXPECT_EQ(scope("descend").blocks, 100u);
  EXPECT_EQ(scope("descend").median_bytes, 500u);
}

TEST_F(arena_scopes_test, recursion_that_hands_blocks_up_is_one_too) {
  in_main([&] {
    keep(2);
    // Each level's block dies in the level above: dead only when the outermost has returned.
    const std::function<std::uint64_t(int)> build = [&](int depth) {
      if (depth > 0) {
        std::uint64_t below = 0;
        script.call("build", 11, [&] { below = build(depth - 1); });
        script.free(12, below);
      }
      return script.allocate(13, 50);
    };
    for (int i = 0; i < 10; ++i) {
      script.call("tree", 5, [&] {
        std::uint64_t top = 0;
        script.call("build", 7, [&] { top = build(200); });
        script.free(8, top);
      });
      script.allocate(6, 8);
    }
  });
  result();
  // build itself loses one block of 201 with each call: it is the outermost that will do only if
  // tree were not.
  EXPECT_THAT(names(), ElementsAre("tree"));
  EXPECT_EQ(scope("tree").invocations, 10u);
  EXPECT_EQ(scope("tree").survivors, 0u);
}

TEST_F(arena_scopes_test, a_free_that_a_function_jumps_to_as_its_last_act_is_the_functions) {
  in_turns(30, [&](int) {
    std::uint64_t block = 0;
    script.call("parse", 5, [&] {
      block = script.allocate(10, 100);
      script.free(12, script.allocate(11, 20));
    });
    script.free(5, block);  // from where main called parse: nothing else is called there
    script.call("make", 7, [&] { block = script.allocate(10, 100); });
    script.free(8, block);  // main's own
  });
  ASSERT_THAT(names(), ElementsAre("parse"));
  EXPECT_EQ(scope("parse").invocations, 30u);
  EXPECT_EQ(scope("parse").by_instant, 0u);
  EXPECT_EQ(scope("parse").max_bytes, 120u);
}

TEST_F(arena_scopes_test, a_function_that_is_jumped_to_goes_on_for_the_one_that_jumped) {
  in_turns(30, [&](int) {
    std::uint64_t block = 0;
    script.call("parse", 5, [&] { block = script.allocate(10, 100); });
    // In its place, at its address: parse has jumped there.
    script.call("finish", 5, [&] {
      const auto more = script.allocate(3, 8);
      script.free(4, block);
      script.free(5, more);
    });
  });
  ASSERT_THAT(names(), ElementsAre("parse"));
  EXPECT_EQ(scope("parse").invocations, 30u);
  EXPECT_EQ(scope("parse").max_bytes, 108u);
}

TEST_F(arena_scopes_test, functions_called_through_a_pointer_are_not_one_another) {
  script.direct_calls_ = false;
  in_turns(30, [&](int) {
    std::uint64_t block = 0;
    script.call("make", 5, [&] { block = script.allocate(10, 100); });
    script.call("consume", 5, [&] { script.free(4, block); });
  });
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(arena_scopes_test, an_exception_ends_the_functions_it_passes) {
  in_turns(20, [&](int) {
    script.call("attempt", 5, [&] {
      std::uint64_t thrown = 0;
      script.call("fail", 8, [&] {
        const std::uint64_t local = script.allocate(10, 40);
        thrown = script.allocate(11, 144);  // the exception
        script.free(50, local);             // while unwinding
      });
      script.free(9, thrown);  // caught here
    });
    script.allocate(6, 8);
  });
  ASSERT_THAT(names(), ElementsAre("attempt"));
  EXPECT_EQ(scope("attempt").invocations, 20u);
  EXPECT_EQ(scope("attempt").survivors, 0u);
}

TEST_F(arena_scopes_test, what_a_long_jump_left_behind_has_survived) {
  in_main([&] {
    keep(2);
    for (int i = 0; i < 20; ++i) {
      // Jumps out of leaky over its free: the block is never freed.
      script.call("leaky", 5, [&] { script.allocate(10, 40); });
      // Jumps out of careful into safe, which frees what it had been given.
      script.call("safe", 6, [&] {
        std::uint64_t handed = 0;
        script.call("careful", 8, [&] { handed = script.allocate(10, 40); });
        script.free(9, handed);
      });
    }
    script.allocate(7, 8);
  });
  result();
  EXPECT_THAT(names(), ElementsAre("safe"));
  EXPECT_EQ(scope("safe").invocations, 20u);
}

TEST_F(arena_scopes_test, a_coroutine_without_a_stack_loses_its_frame_when_it_is_suspended) {
  in_turns(10, [&](int) {
    script.call("drive", 5, [&] {
      std::uint64_t state = 0, local = 0;
      script.call("generate.ramp", 8, [&] { state = script.allocate(1, 200); });
      for (int k = 0; k < 3; ++k) {
        script.call("generate.resume", 10, [&] {
          if (k == 0) local = script.allocate(20, 32);  // lives across suspensions
          script.free(22, script.allocate(21, 16));
          if (k == 2) script.free(23, local);
        });
      }
      script.free(12, state);
    });
    script.allocate(6, 8);
  });
  ASSERT_THAT(names(), ElementsAre("drive"));
  EXPECT_EQ(scope("drive").survivors, 0u);
  EXPECT_EQ(scope("drive").invocations, 10u);
}

TEST_F(arena_scopes_test, a_stackful_coroutine_that_is_switched_away_from_has_not_returned) {
  // One thread, two stacks: main's, and a fiber's whose frames come back as they were.
  const auto on_fiber = [&](const std::function<void()>& body) {
    script.with_stack(0x7f0000000000, [&] {
      script.call("fiber_entry", 1, [&] { script.call("task", 3, body); });
    });
  };
  in_main([&] { keep(2); });
  for (int i = 0; i < 10; ++i) {
    std::uint64_t block = 0;
    on_fiber([&] { block = script.allocate(10, 64); });
    in_main([&] { script.allocate(6, 8); });
    on_fiber([&] {
      script.free(20, block);
      script.free(22, script.allocate(21, 32));
    });
    in_main([&] { script.allocate(7, 8); });
  }
  result();
  ASSERT_THAT(names(), ElementsAre("fiber_entry"));
  EXPECT_EQ(scope("fiber_entry").survivors, 0u);
  EXPECT_EQ(scope("fiber_entry").invocations, 10u);
}

TEST_F(arena_scopes_test, blocks_that_another_thread_frees_before_the_function_goes_on_are_dead) {
  in_turns(20, [&](int) {
    script.call("fan_out", 5, [&] {
      const std::uint64_t list = script.allocate(10, 80);
      std::vector<std::uint64_t> jobs;
      for (int k = 0; k < 10; ++k) jobs.push_back(script.allocate(11, 32));
      script.on_thread(1);
      script.call("start_thread", 1, [&] {
        script.call("helper", 1, [&] {
          for (const auto one : jobs) script.free(5, one);
        });
      });
      script.on_thread(0);
      script.free(15, list);  // after it has waited for the other
    });
    script.allocate(6, 8);
  });
  ASSERT_THAT(names(), ElementsAre("fan_out"));
  EXPECT_EQ(scope("fan_out").survivors, 0u);
  EXPECT_EQ(scope("fan_out").invocations, 20u);
}

TEST_F(arena_scopes_test, blocks_handed_over_and_freed_later_have_survived) {
  std::vector<std::uint64_t> queue;
  in_turns(100, [&](int) {
    script.call("produce", 5, [&] { queue.push_back(script.allocate(10, 32)); });
    // The other thread takes it when produce has long returned and nothing else is recorded here.
    script.on_thread(1);
    script.call("start_thread", 1,
                [&] { script.call("consume", 1, [&] { script.free(5, queue.back()); }); });
    script.on_thread(0);
  });
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(arena_scopes_test, each_threads_invocations_are_its_own) {
  in_main([&] { keep(2); });
  for (std::uint32_t thread = 1; thread <= 3; ++thread) script.on_thread(thread);
  // Interleaved: all three are in the function at once.
  std::vector<std::vector<std::uint64_t>> blocks(4);
  const auto in_job = [&](std::uint32_t thread, const std::function<void()>& body) {
    script.on_thread(thread);
    script.call("start_thread", 1,
                [&] { script.call("worker", 1, [&] { script.call("job", 3, body); }); });
  };
  for (int k = 0; k < 10; ++k) {
    for (std::uint32_t thread = 1; thread <= 3; ++thread) {
      in_job(thread, [&] { blocks[thread].push_back(script.allocate(10, 100)); });
    }
  }
  for (std::uint32_t thread = 1; thread <= 3; ++thread) {
    in_job(thread, [&] {
      for (const auto one : blocks[thread]) script.free(20, one);
    });
  }
  result();
  ASSERT_THAT(names(), ElementsAre("job"));
  EXPECT_EQ(scope("job").invocations, 3u);
  EXPECT_EQ(scope("job").max_bytes, 1000u);
  EXPECT_THAT(scope("job").threads, ElementsAre(1u, 2u, 3u));
}

TEST_F(arena_scopes_test, main_and_a_threads_function_are_named_only_where_nothing_else_is) {
  script.call("__libc_start_main", 1, [&] { script.call("main", 1, [&] { work(script, 20); }); });
  script.on_thread(1);
  script.call("start_thread", 1, [&] { script.call("worker", 1, [&] { work(script, 10); }); });
  result();
  EXPECT_THAT(names(), UnorderedElementsAre("main", "worker"));
}

TEST_F(arena_scopes_test, a_threads_function_may_be_inlined_into_what_starts_it) {
  script.on_thread(1);
  script.call("start_thread", 1, [&] {
    script.call("operator() < __invoke_impl<void, lambda> < _M_run", 1, [&] {
      for (int i = 0; i < 30; ++i) script.call("handle_request", 5, [&] { work(script, 10); });
    });
  });
  result();
  ASSERT_THAT(names(), ElementsAre("handle_request"));
  EXPECT_EQ(scope("handle_request").invocations, 30u);
}

TEST_F(arena_scopes_test, a_threads_function_may_be_called_by_what_starts_it) {
  script.on_thread(1);
  script.call("start_thread", 1, [&] {
    script.call("__invoke_impl<void, void (*)()> < _M_run", 1, [&] {
      script.call("worker", 1, [&] {
        for (int i = 0; i < 30; ++i) script.call("handle_request", 5, [&] { work(script, 10); });
      });
    });
  });
  result();
  EXPECT_THAT(names(), ElementsAre("handle_request"));
}

TEST_F(arena_scopes_test, what_is_called_once_and_holds_everything_is_marked_as_trunk) {
  in_main([&] {
    script.call("run", 1, [&] {
      const std::uint64_t own = script.allocate(1, 10);
      for (int i = 0; i < 50; ++i) {
        script.call("step", 2, [&] { work(script, 10); });
      }
      script.free(9, own);
    });
    script.allocate(2, 8);
  });
  result();
  ASSERT_THAT(names(), ElementsAre("step", "run"));
  EXPECT_TRUE(scope("run").trunk);
  EXPECT_FALSE(scope("step").trunk);
  EXPECT_EQ(scope("run").invocations, 1u);
  EXPECT_EQ(scope("step").invocations, 50u);
}

TEST_F(arena_scopes_test, the_whole_run_is_marked_also_where_nothing_smaller_is) {
  in_main([&] {
    script.call("run", 1, [&] {
      const std::uint64_t own = script.allocate(1, 10);
      for (int i = 0; i < 50; ++i) work(script, 10);
      script.free(30, own);
    });
    script.allocate(2, 8);
  });
  result();
  ASSERT_THAT(names(), ElementsAre("run"));
  EXPECT_TRUE(scope("run").trunk);
}

TEST_F(arena_scopes_test, where_frees_have_no_stacks_only_what_goes_on_is_dead) {
  in_turns(20, [&](int) {
    std::uint64_t made = 0;
    script.call("make", 5, [&] { made = script.allocate(10, 100); });
    script.free_without_stack(made);
  });
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(arena_scopes_test, without_frame_addresses_it_says_how_sure_it_is) {
  script.frame_addresses_ = false;
  in_turns(20, [&](int) {
    script.call("parse", 5, [&] { work(script, 10); });
    script.allocate(6, 8);
  });
  ASSERT_THAT(names(), ElementsAre("parse"));
  EXPECT_EQ(scope("parse").invocations, 20u);
  EXPECT_EQ(scope("parse").confidence, "low");
}

TEST_F(arena_scopes_test,
       what_lives_where_the_recording_ends_inside_a_call_has_not_survived_that_call) {
  script.end_ = end_kind::killed;
  in_main([&] {
    for (int i = 0; i < 20; ++i) script.call("serve", 5, [&] { work(script, 3); });
    script.call("serve", 6, [&] {
      script.allocate(11, 100);
      script.call("read", 12, [&] { script.allocate(13, 40); });
      script.allocate(14, 100);
    });
  });
  result();
  const arena_scope& serve = scope("serve");
  EXPECT_EQ(serve.invocations, 21u);
  EXPECT_EQ(serve.blocks, 63u);
  EXPECT_EQ(serve.survivors, 0u);
}

TEST_F(arena_scopes_test, what_lives_when_the_program_has_exited_has_survived_all_calls) {
  in_main([&] {
    for (int i = 0; i < 20; ++i) script.call("serve", 5, [&] { work(script, 3); });
    script.call("serve", 6, [&] { script.allocate(11, 100); });
  });
  result();
  for (const arena_scope& one : dims.arena_scopes) EXPECT_NE(one.function, "serve");
}

TEST_F(arena_scopes_test, a_thread_that_goes_on_behind_the_recordings_end_has_not_returned_there) {
  script.end_ = end_kind::unknown;
  script.thread_ends_later_ = true;
  in_main([&] {
    for (int i = 0; i < 20; ++i) script.call("serve", 5, [&] { work(script, 3); });
    script.call("serve", 6, [&] { script.allocate(11, 100); });
  });
  result();
  EXPECT_EQ(scope("serve").survivors, 0u);
}

TEST_F(arena_scopes_test, what_returned_before_the_recording_ended_has_its_survivors) {
  script.end_ = end_kind::killed;
  in_main([&] {
    for (int i = 0; i < 20; ++i) {
      script.call("make", 5, [&] { script.allocate(10, 100); });
      script.allocate(6, 8);
    }
  });
  result();
  for (const arena_scope& one : dims.arena_scopes) EXPECT_NE(one.function, "make");
}

// A thread that was killed with its process has an end, too, behind all events.
TEST_F(arena_scopes_test, what_lives_in_a_call_whose_thread_was_killed_has_not_survived_that_call) {
  script.end_ = end_kind::killed;
  script.thread_ends_later_ = true;
  in_main([&] {
    for (int i = 0; i < 20; ++i) script.call("serve", 5, [&] { work(script, 3); });
    script.call("serve", 6, [&] { script.allocate(11, 100); });
  });
  result();
  EXPECT_EQ(scope("serve").survivors, 0u);
}

TEST_F(arena_scopes_test, a_call_that_never_returned_proves_nothing_of_the_blocks_that_live_in_it) {
  script.end_ = end_kind::killed;
  in_main([&] {
    for (int i = 0; i < 20; ++i) script.call("serve", 5, [&] { work(script, 3); });
    script.call("serve", 6, [&] {
      for (int i = 0; i < 100; ++i) script.allocate(11, 100);
    });
  });
  result();
  for (const arena_scope& one : dims.arena_scopes) EXPECT_NE(one.function, "serve");
}

TEST_F(arena_scopes_test, what_lives_in_a_marked_scope_that_was_not_left_has_not_survived_it) {
  script.end_ = end_kind::killed;
  in_main([&] {
    script.enter_scope("frame");
    script.allocate(6, 24);
    script.enter_scope("part");
    script.allocate(7, 24);
    script.leave_scope("part");
  });
  result();
  EXPECT_EQ(scope("frame").blocks, 2u);
  EXPECT_EQ(scope("frame").survivors, 0u);
  EXPECT_EQ(scope("part").survivors, 1u);
}

TEST_F(arena_scopes_test, marked_scopes_are_taken_as_they_are) {
  std::uint64_t kept = 0;
  in_main([&] {
    keep(2);
    for (int i = 0; i < 4; ++i) {
      script.enter_scope("frame");
      script.call("draw", 5, [&] { work(script, 3); });
      if (i == 2) kept = script.allocate(6, 24);
      script.leave_scope("frame");
    }
    script.free(7, kept);
  });
  result();
  const arena_scope& frame = scope("frame");
  EXPECT_TRUE(frame.marked);
  EXPECT_EQ(frame.invocations, 4u);
  EXPECT_EQ(frame.blocks, 13u);
  EXPECT_EQ(frame.survivors, 1u);
  EXPECT_EQ(frame.max_bytes, 324u);
  EXPECT_EQ(frame.median_bytes, 300u);
}

TEST_F(arena_scopes_test, what_an_arena_would_serve_comes_before_marked_scopes_that_it_would_not) {
  std::uint64_t kept = 0;
  in_main([&] {
    script.enter_scope("keeps all");
    kept = script.allocate(1, 1'000'000);
    script.leave_scope("keeps all");
    for (int i = 0; i < 4; ++i) script.call("draw", 5, [&] { work(script, 3); });
    script.enter_scope("large");
    script.free(7, script.allocate(6, 100'000));
    script.leave_scope("large");
    script.free(8, kept);
  });
  result();
  ASSERT_GE(dims.arena_scopes.size(), 3u);
  EXPECT_EQ(dims.arena_scopes[0].function, "large");
  EXPECT_EQ(dims.arena_scopes[1].function, "draw");
  EXPECT_EQ(dims.arena_scopes.back().function, "keeps all");
}

}  // namespace
}  // namespace mallard::profile
