// Strategies that are candidates, and those that are refused for what was recorded.
#include "advise/candidates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/bound.hpp"
#include "advise/code.hpp"
#include "advise/trial.hpp"

namespace {

using namespace mallard;
using namespace mallard::advise;
using testing::HasSubstr;
using testing::Not;

// A program of one second, of which `parse` spends a third in the heap's operations.
class candidates_test : public testing::Test {
 protected:
  candidates_test() {
    dims.duration = dims.all.cpu_ns = 1'000'000'000;
    dims.cache_bytes = {32768, 1 << 20};
    profile::subsystem one;
    one.name = "parse";
    one.allocation_ns = dims.all.allocation_ns = one.heap_ns = 300'000'000;
    dims.heap = profile::heap_share{0.3, 0.3, 0.3, 1000, true};
    one.cpu_ns = 400'000'000;
    one.effective_classes = 3;
    one.total.bytes = 1000000;
    one.total.allocations = one.total.frees = 10000;
    one.total.peak_bytes = 1000;
    one.dims.U.literal = 0.9;
    one.threads = {0};
    one.sizes = {{24, 5000}, {48, 5000}};
    dims.subsystems.push_back(one);
  }
  profile::subsystem& parse() { return dims.subsystems.front(); }
  void add_scope() {
    profile::arena_scope scope;
    scope.function = "parse(int)";
    scope.invocations = 100;
    scope.blocks = 10000;
    scope.dead_share = 1;
    scope.p99_bytes = scope.max_bytes = 40000;
    scope.confidence = "high";
    dims.arena_scopes.push_back(scope);
  }
  std::vector<candidate> found() const {
    code_place place;
    place.subsystem = place.function = "parse";
    return find_candidates(dims, {place}, ends_early);
  }
  const candidate* find(strategy how) {
    last_ = found();
    for (const candidate& one : last_) {
      if (one.how == how) return &one;
    }
    return nullptr;
  }
  std::string refusal(strategy how) {
    const candidate* const one = find(how);
    return one == nullptr ? "no candidate" : one->refused;
  }

  profile::dims_result dims;
  bool ends_early = false;

 private:
  std::vector<candidate> last_;
};

TEST_F(candidates_test, none_where_nothing_is_to_gain) {
  parse().heap_ns = 1'000'000;
  dims.heap = profile::heap_share{0.001, 0, 0.002, 1000, true};
  EXPECT_TRUE(found().empty());
}

TEST_F(candidates_test, are_there_where_samples_do_not_say_how_much_the_heap_takes) {
  parse().heap_ns = 0;
  dims.heap.reset();
  EXPECT_FALSE(found().empty());
  dims.heap = profile::heap_share{0, 0, 0.3, 20, true};
  EXPECT_FALSE(found().empty());
}

TEST_F(candidates_test, the_bound_is_what_allocation_and_placement_take) {
  EXPECT_NEAR(bound_of(parse(), dims).times, 1 / 0.7, 1e-9);
  parse().where.page_diffusion = 2;
  parse().where.neighbours = 1;
  EXPECT_NEAR(bound_of(parse(), dims).times, 1 / 0.7, 1e-9);  // all of it is in the cache
  parse().where.peak_bytes = 10 << 20;
  // Whoever made them, all of the program's other time may be spent on its blocks.
  EXPECT_NEAR(bound_of(parse(), dims).times, 1 / 0.35, 1e-9);
}

TEST_F(candidates_test, a_function_without_a_name_is_no_place_for_a_resource) {
  code_place place;
  place.subsystem = place.function = "git+0x1c3d20";
  const std::vector<candidate> all = find_candidates(dims, {place});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].refused, HasSubstr("has no name"));
}

TEST_F(candidates_test, the_program_under_another_name_is_no_place_for_a_resource) {
  dims.total.bytes = parse().total.bytes;
  code_place place;
  place.subsystem = place.function = "Perl_runops";
  place.asks_itself = false;
  const std::vector<candidate> all = find_candidates(dims, {place});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].refused, HasSubstr("stands for the whole program"));
  // A handler that is called again and again is one, whoever asks for its blocks.
  parse().name = "parse";
  add_scope();
  place.subsystem = place.function = "parse";
  EXPECT_EQ(find_candidates(dims, {place}).front().refused, "");
}

TEST_F(candidates_test, c_code_is_offered_no_pool) {
  code_place place;
  place.subsystem = place.function = "xmalloc";
  place.is_cpp = false;
  add_scope();
  dims.arena_scopes.front().function = "parse";
  parse().dims.U.literal = 0.1;
  const std::vector<candidate> with_scope = find_candidates(dims, {place});
  EXPECT_EQ(with_scope.front().refused, "");
  EXPECT_THAT(code_for(with_scope.front(), ""), HasSubstr("mallard_scope_begin(0)"));
  EXPECT_THAT(with_scope.front().doubts.back().says, HasSubstr("a scope's heap"));
  dims.arena_scopes.clear();
  for (const candidate& one : find_candidates(dims, {place})) {
    EXPECT_NE(one.refused, "") << to_string(one.how);
  }
}

TEST_F(candidates_test, an_arena_that_no_call_ends_is_given_back_by_hand_or_by_a_loop) {
  parse().epochs = {100, 1000, 2000};
  const candidate* const arena = find(strategy::monotonic);
  ASSERT_NE(arena, nullptr);
  EXPECT_EQ(arena->refused, "");
  EXPECT_FALSE(arena->ends_with_call);
  EXPECT_THAT(code_for(*arena, ""), HasSubstr("When all its blocks are dead"));
  dims.loops.push_back(
      {"main", "/src/server.cpp", 40, 52, {0}, 100, 9000, 900000, 0, 8000, 9000, 10000});
  EXPECT_THAT(refusal(strategy::monotonic), HasSubstr("the loop at server.cpp:40"));
}

TEST_F(candidates_test, a_loop_of_main_is_a_place_for_an_arena_where_no_function_is) {
  dims.total.allocations = 10000;
  dims.all.allocation_ns = 300'000'000;
  dims.loops.push_back(
      {"main", "/src/server.cpp", 40, 52, {0}, 100, 9000, 900000, 0, 8000, 9000, 10000});
  std::vector<candidate> all = found();
  ASSERT_TRUE(all.front().loop);
  EXPECT_EQ(all.front().how, strategy::monotonic);
  EXPECT_EQ(all.front().refused, "");
  EXPECT_EQ(route_of(all.front()), "line:server.cpp:40-52=monotonic");
  EXPECT_EQ(all.front().first_bytes, 10240u);
  EXPECT_THAT(code_for(all.front(), ""), HasSubstr("Before the loop at server.cpp:40 in main"));
  EXPECT_THAT(code_for(all.front(), ""), HasSubstr("resource.rewind();"));
  add_scope();  // holds as much as the loop
  all = found();
  EXPECT_FALSE(all.front().loop);
}

TEST_F(candidates_test, a_loop_names_the_containers_of_the_places_and_is_cs_where_most_blocks_are) {
  dims.total.allocations = 10000;
  dims.all.allocation_ns = 300'000'000;
  dims.loops.push_back(
      {"main", "/src/server.cpp", 40, 52, {0}, 100, 9000, 900000, 0, 8000, 9000, 10000});
  parse().total.allocations = 9000;
  code_place place;
  place.subsystem = place.function = "parse";
  place.container = {"vector", "std::string"};
  place.file = "/src/server.cpp";
  place.line = 17;
  candidate loop = find_candidates(dims, {place}).front();
  EXPECT_THAT(code_for(loop, ""), HasSubstr("std::vector<std::string> (server.cpp:17)"));
  place.calls_malloc = true;
  loop = find_candidates(dims, {place}).front();
  EXPECT_THAT(code_for(loop, ""), HasSubstr("void* block = resource.allocate(100);"));
  EXPECT_THAT(code_for(loop, ""), Not(HasSubstr("vector<")));
  place.is_cpp = false;
  loop = find_candidates(dims, {place}).front();
  EXPECT_THAT(code_for(loop, ""),
              HasSubstr("At the beginning of each turn of the loop at server.cpp:40 in main"));
  EXPECT_THAT(code_for(loop, ""), HasSubstr("mallard_scope_begin(0)"));
}

TEST_F(candidates_test, an_arena_needs_an_end_of_all_that_is_in_it) {
  EXPECT_THAT(refusal(strategy::monotonic), HasSubstr("an arena would only grow"));
  add_scope();
  EXPECT_EQ(refusal(strategy::monotonic), "");
  const candidate* const arena = find(strategy::monotonic);
  EXPECT_EQ(arena->first_bytes, 44u * 1024);
  EXPECT_TRUE(arena->may_wink_out);
  EXPECT_EQ(arena->where.function, "parse(int)");
}

TEST_F(candidates_test, an_arena_of_main_is_none) {
  add_scope();
  dims.arena_scopes[0].trunk = true;
  EXPECT_THAT(refusal(strategy::monotonic), HasSubstr("when the program does"));
}

TEST_F(candidates_test, survivors_of_a_scope_are_a_doubt_and_keep_destructors) {
  add_scope();
  dims.arena_scopes[0].survivors = 3;
  dims.arena_scopes[0].survivor_stacks = {{{"keep"}, 3, 30}};
  const candidate* const arena = find(strategy::monotonic);
  EXPECT_FALSE(arena->may_wink_out);
  EXPECT_THAT(arena->doubts.front().says,
              HasSubstr("3 of 10000 blocks outlive the call, most from keep"));
}

TEST_F(candidates_test, guessed_ends_of_a_scope_are_a_doubt_that_counts) {
  add_scope();
  dims.arena_scopes[0].confidence = "low";
  EXPECT_EQ(find(strategy::monotonic)->doubts.back().steps, 1u);
}

TEST_F(candidates_test, what_one_function_keeps_stays_with_the_malloc) {
  add_scope();
  dims.arena_scopes[0].survivors = 30;
  dims.arena_scopes[0].kept_by = {{"remember(int)", 30, 29}};
  const candidate* const arena = find(strategy::monotonic);
  EXPECT_THAT(arena->kept_by, testing::ElementsAre("remember(int)"));
  EXPECT_TRUE(arena->doubts.empty());
  EXPECT_FALSE(arena->may_wink_out);
  EXPECT_EQ(route_of(*arena),
            "function:(^|[ *&])parse($|\\W)+not:(^|[ *&])remember($|\\W)=monotonic");
  EXPECT_THAT(code_for(*arena, ""), HasSubstr("Blocks of remember(int) live longer"));
}

TEST_F(candidates_test, the_code_names_all_containers_of_the_place_but_those_that_keep_blocks) {
  candidate one;
  one.how = strategy::monotonic;
  one.kept_by = {"remember(int)"};
  one.where.container = {"vector", "long"};
  const std::string pair = "std::pair<std::vector<std::vector<order>>, some_name_space::long_name>";
  one.where.others = {{{"map", "int, order"}, "/src/a.cpp", 7, {"operator new", "parse()"}},
                      {{"set", "int"}, "/src/a.cpp", 8, {"operator new", "remember(int)"}},
                      {{"unique_ptr", "order"}, "/src/a.cpp", 9, {"operator new", "parse()"}},
                      {{"list", pair + ", " + pair}, "", 0}};
  const std::string code = code_for(one, "");
  EXPECT_THAT(code, HasSubstr("// Likewise what else allocates here:\n"
                              "// - std::map<int, order> (a.cpp:7)\n"
                              "// - std::unique_ptr<order>, by mallard::allocate_unique (a.cpp:9)\n"
                              "// - std::list<std::pair<...>, std::pair<std::vector<...>, "
                              "some_name_space::long_name>>\n"));
  EXPECT_THAT(code, testing::Not(HasSubstr("std::set")));
  one.where.container = {};
  EXPECT_THAT(code_for(one, ""), HasSubstr("// Make what allocates here its std::pmr type, "
                                           "constructed with &resource:\n// - std::map"));
}

TEST_F(candidates_test, survivors_that_come_from_everywhere_are_a_doubt) {
  add_scope();
  dims.arena_scopes[0].survivors = 30;
  dims.arena_scopes[0].kept_by = {{"remember(int)", 20, 20}};
  const candidate* const arena = find(strategy::monotonic);
  EXPECT_TRUE(arena->kept_by.empty());
  EXPECT_THAT(arena->doubts.front().says, HasSubstr("outlive the call"));
}

TEST_F(candidates_test,
       what_lives_in_a_call_that_goes_on_where_the_recording_ends_does_not_outlive_it) {
  add_scope();
  ends_early = true;
  dims.arena_scopes[0].survivors = 99;  // of 100 in each call
  EXPECT_THAT(find(strategy::monotonic)->doubts.front().says,
              HasSubstr("a call that had not returned"));
  dims.arena_scopes[0].survivors = 400;
  EXPECT_THAT(find(strategy::monotonic)->doubts.front().says, HasSubstr("outlive the call"));
}

TEST_F(candidates_test, memory_that_is_used_again_speaks_for_a_pool_on_the_arena) {
  add_scope();
  EXPECT_EQ(refusal(strategy::multipool_on_monotonic), "no candidate");
  parse().dims.U.literal = 0.01;
  EXPECT_EQ(refusal(strategy::multipool_on_monotonic), "");
}

TEST_F(candidates_test, an_arena_that_would_hold_much_more_than_lives_is_refused) {
  add_scope();
  dims.arena_scopes[0].max_bytes = std::uint64_t{1} << 30;
  EXPECT_THAT(refusal(strategy::monotonic), HasSubstr("would hold 1 GiB where 1000 B live"));
  // The longest may be several calls where their ends are assumed.
  dims.arena_scopes[0].by_instant = 60;
  EXPECT_EQ(refusal(strategy::monotonic), "");
  dims.arena_scopes[0].p99_bytes = std::uint64_t{1} << 30;
  EXPECT_THAT(refusal(strategy::monotonic), HasSubstr("would hold 1 GiB where 1000 B live"));
}

TEST_F(candidates_test, remote_frees_need_a_shared_pool) {
  EXPECT_EQ(refusal(strategy::multipool), "");
  EXPECT_EQ(refusal(strategy::synchronized_multipool), "no candidate");
  parse().total.remote_frees = 5;
  EXPECT_THAT(refusal(strategy::multipool), HasSubstr("freed by threads that did not allocate"));
  EXPECT_EQ(refusal(strategy::synchronized_multipool), "");
}

TEST_F(candidates_test, an_arena_that_ends_with_no_call_is_refused_where_other_threads_free) {
  parse().epochs = {100, 1000, 2000};
  EXPECT_EQ(refusal(strategy::monotonic), "");
  parse().total.remote_frees = 5;
  EXPECT_THAT(refusal(strategy::monotonic), HasSubstr("does not know when all are dead"));
}

TEST_F(candidates_test, threads_that_share_nothing_have_a_pool_each) {
  parse().threads = {0, 1};
  EXPECT_TRUE(find(strategy::multipool)->one_for_each_thread);
}

TEST_F(candidates_test, many_size_classes_speak_for_a_heap) {
  EXPECT_EQ(refusal(strategy::heap), "no candidate");
  parse().effective_classes = 40;
  EXPECT_THAT(refusal(strategy::multipool), HasSubstr("40 size classes"));
  EXPECT_EQ(refusal(strategy::heap), "");
}

TEST_F(candidates_test, arrays_that_grow_speak_for_a_heap) {
  parse().total.moved_bytes = 500000;
  EXPECT_EQ(refusal(strategy::heap), "");
}

TEST_F(candidates_test, one_size_speaks_for_an_adaptive_pool) {
  EXPECT_EQ(refusal(strategy::adaptive_pool), "no candidate");
  parse().sizes = {{24, 9500}, {48, 500}};
  EXPECT_EQ(refusal(strategy::adaptive_pool), "");
}

}  // namespace
