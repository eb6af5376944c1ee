// Programs with routed blocks do what they do without, and what is told of the routes is so.
#include "whatif/whatif.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "support/message_of.hpp"
#include "support/scratch_path.hpp"
#include "whatif/pattern.hpp"
#include "whatif/route_session.hpp"
#include "whatif/strategies.hpp"

namespace {

using namespace mallard::whatif;
using mallard_test::strategies;

whatif_options options_for(const std::string& what, std::vector<whatif_route> routes) {
  whatif_options out;
  out.command = {MALLARD_ROUTED_PROGRAM, what};
  out.library = MALLARD_ROUTE_FILE;
  out.own_malloc = MALLARD_MALLOC_FILE;
  out.repetitions = 1;
  out.check_output = true;
  out.variants = {{"with routes", std::move(routes)}};
  return out;
}

// As the program does as it is. How long that took is nothing to test: on a machine with other work
// it may be less than what is taken off for the hook.
testing::AssertionResult ran(const whatif_outcome& one) {
  if (one.runs != 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << one.variant << ": " << one.remark;
}

// Turns were enough. On a machine with other work, one run may be so much longer than the program's
// that the rest is not measured.
testing::AssertionResult was_told(const whatif_outcome& one) {
  if (one.gains.size() == 1 || one.remark.find("saved to measure the rest") != std::string::npos) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << one.variant << ": " << one.remark;
}

// The outcome of the variant. Where it is not in turns, the hook alone ran before it.
whatif_outcome try_one(const whatif_options& options) {
  const whatif_result done = try_whatif(options);
  const whatif_outcome& last = done.outcomes.back();
  EXPECT_EQ(done.outcomes.size(), last.in_turns ? 2U : 3U);
  EXPECT_EQ(done.outcomes[0].variant, "as it is");
  if (last.in_turns) return last;
  EXPECT_TRUE(done.outcomes.at(1).variant.starts_with("hook alone"));
  EXPECT_TRUE(ran(done.outcomes[1]));
  EXPECT_EQ(done.outcomes[1].remark, "");  // nothing is subtracted from it
  return last;
}

// Each strategy alone, in their order; all that ran as the program does as it is.
std::vector<whatif_outcome> try_each_strategy(const std::string& what, const std::string& pattern) {
  whatif_options options = options_for(what, {});
  options.variants.clear();
  for (const std::string& one : strategies) options.variants.push_back({one, {{pattern, one}}});
  std::vector<whatif_outcome> out = try_whatif(options).outcomes;
  for (const whatif_outcome& one : out) EXPECT_TRUE(ran(one)) << what << ' ' << one.variant;
  std::erase_if(out, [](const whatif_outcome& one) { return one.routes.empty(); });
  EXPECT_EQ(out.size(), strategies.size());
  return out;
}

std::string complaint(const whatif_options& options) {
  return mallard_test::message_of([&] { try_whatif(options); });
}

// The line of the routed program that has this remark.
std::size_t line_with(const std::string& remark) {
  std::ifstream source(MALLARD_ROUTED_SOURCE);
  std::size_t number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.find(remark) != line.npos) return number;
  }
  return 0;
}

TEST(whatif, the_hook_alone_serves_blocks_of_routes_from_our_malloc) {
  const whatif_result done = try_whatif(options_for("requests", {{"one_request", "heap"}}));
  EXPECT_EQ(done.outcomes.at(1).variant, "hook alone on mallard");
  EXPECT_TRUE(ran(done.outcomes.at(1)));
}

// Its status says which malloc it has, and is another on ours.
TEST(whatif, the_hook_alone_is_on_the_programs_malloc_where_ours_changes_what_it_does) {
  const whatif_result done = try_whatif(options_for("picky", {{"produce", "heap"}}));
  EXPECT_EQ(done.outcomes.at(1).variant, "hook alone");
  EXPECT_TRUE(ran(done.outcomes.at(1)));
  EXPECT_TRUE(done.outcomes.at(2).remark.starts_with("ended with status 5"));
}

TEST(whatif, a_program_that_fails_on_our_malloc_in_a_round_has_no_figures_of_routes) {
  const mallard::scratch_file times;
  auto options = options_for("unsteady", {{"one_request", "heap"}});
  options.command.push_back(times.path());
  options.repetitions = 3;
  const whatif_result done = try_whatif(options);
  EXPECT_EQ(done.outcomes.at(0).runs, 3U);
  EXPECT_NE(done.outcomes.at(2).remark.find("ended with status 5"), std::string::npos);
  EXPECT_EQ(done.outcomes[2].runs, 0U);
}

TEST(whatif, a_race_runs_no_pool_that_would_leave_no_time_to_prove_the_best_arena) {
  whatif_options options = options_for("requests", {});
  options.variants = {{"pool", {{"one_request", "heap"}}},
                      {"arena", {{"one_request", "monotonic"}}}};
  options.names_survivors = false;
  options.races = true;
  options.time_budget = 0.01;
  const whatif_result done = try_whatif(options);
  const auto of = [&](const std::string& name) {
    return *std::find_if(done.outcomes.begin(), done.outcomes.end(),
                         [&](const whatif_outcome& one) { return one.variant == name; });
  };
  EXPECT_EQ(of("pool").remark, "no time was left after the proof of the others");
  EXPECT_EQ(of("pool").runs, 0U);
  EXPECT_EQ(of("arena").runs, 1U);
}

TEST(whatif, a_program_that_ends_differently_by_itself_is_not_compared) {
  for (const bool races : {false, true}) {
    const mallard::scratch_file times;
    auto options = options_for("flaky", {});
    options.variants.clear();
    options.command.push_back(times.path());
    options.mallocs = {MALLARD_MALLOC_FILE};
    options.races = races;
    EXPECT_NE(complaint(options).find("so it cannot be compared"), std::string::npos) << races;
  }
}

TEST(whatif, a_run_that_names_survivors_does_not_count) {
  auto options = options_for("survivors", {{"one_leaky_request", "monotonic"}});
  options.time_budget = 1e-9;
  const whatif_result done = try_whatif(options);
  EXPECT_EQ(done.outcomes.at(0).runs, 1U);
  EXPECT_TRUE(done.outcomes.at(2).gains.empty());
  EXPECT_NE(done.outcomes[2].remark.find("names survivors"), std::string::npos);
}

// Its status says which malloc it has.
TEST(whatif, another_malloc_serves_what_a_variant_does_not_route) {
  auto options = options_for("picky", {{"size:1-1", "heap"}});
  EXPECT_EQ(try_one(options).remark, "no block matched a route");
  options.variants[0].malloc = MALLARD_MALLOC_FILE;
  EXPECT_NE(try_one(options).remark.find("ended with status 5"), std::string::npos);
}

TEST(whatif, an_arena_of_a_loop_is_reset_with_each_turn) {
  const std::string lines =
      "line:routed_program.cpp:" + std::to_string(line_with("// turn begins")) + "-" +
      std::to_string(line_with("// turn's last"));
  const auto got = try_one(options_for("turns", {{lines, "monotonic"}}));
  ASSERT_EQ(got.routes.size(), 1U);
  EXPECT_EQ(got.routes[0].blocks, 200U);
  EXPECT_GE(got.routes[0].resets, 99U);
  EXPECT_EQ(got.routes[0].survivors, 0U);
}

TEST(whatif, a_function_is_routed_and_reset_at_its_end) {
  const auto got = try_one(options_for("requests", {{"one_request", "monotonic"}}));
  EXPECT_TRUE(ran(got));
  ASSERT_EQ(got.routes.size(), 1U);
  EXPECT_EQ(got.routes[0].blocks, 100U * 200);
  EXPECT_EQ(got.routes[0].bytes, 100U * 200 * 40);
  // The last one ends with the program.
  EXPECT_GE(got.routes[0].resets, 99U);
  EXPECT_EQ(got.routes[0].survivors, 0U);
  EXPECT_EQ(got.routes[0].passed_on, 0U);
  // The peak of one request at a time.
  EXPECT_LT(got.routes[0].peak_bytes, 100U << 10);
  EXPECT_GT(got.memory, 0);
}

TEST(whatif, resources_of_many_calls_serve_in_turns_with_the_programs_malloc) {
  auto options = options_for("many_requests", {});
  options.variants = {{"arena", {{"one_request", "monotonic"}}},
                      {"pool", {{"one_request", "multipool"}}}};
  const std::vector<whatif_outcome> all = try_whatif(options).outcomes;
  ASSERT_EQ(all.size(), 3U) << "the hook alone is not needed";
  for (const whatif_outcome& one : {all[1], all[2]}) {
    EXPECT_TRUE(one.in_turns) << one.variant;
    EXPECT_TRUE(was_told(one));
    EXPECT_GT(one.memory, 0);
    ASSERT_EQ(one.routes.size(), 1U);
    EXPECT_EQ(one.routes[0].blocks, 12000U * 200);
    EXPECT_EQ(one.routes[0].survivors, 0U);
    EXPECT_EQ(one.routes[0].passed_on, 0U);
  }
}

TEST(whatif, resources_serve_in_turns_beside_another_malloc) {
  auto options = options_for("many_requests", {{"one_request", "monotonic"}});
  options.variants[0].malloc = MALLARD_MALLOC_FILE;
  const auto got = try_one(options);
  EXPECT_TRUE(got.in_turns);
  EXPECT_TRUE(was_told(got));
}

// So the run that finds where a program allocates takes no longer than others.
TEST(whatif, a_place_that_no_block_comes_from_stops_no_other_way) {
  whatif_options options = options_for("requests", {{"one_request", "heap"}});
  options.variants.push_back({"nowhere", {{"line:nowhere.cpp:1-2", "monotonic"}}});
  options.mallocs = {MALLARD_MALLOC_FILE};
  EXPECT_NE(mallard_test::message_of<std::exception>([&] { try_whatif(options); }), "");
  options.refuses_unmet = false;
  int ran_well = 0;
  for (const whatif_outcome& one : try_whatif(options).outcomes) {
    if (one.variant == "nowhere") {
      EXPECT_EQ(one.remark, "no block matched a route");
    } else {
      ran_well += one.runs != 0;
    }
  }
  EXPECT_GE(ran_well, 3);  // as it is, with routes, on our malloc
}

TEST(whatif, addresses_have_names_while_the_first_program_runs) {
  const mallard::scratch_file found("found");
  conditions all;
  const whatif_route wanted{"function:tree_inside", "monotonic"};
  const std::vector<mallard::route::route_rule> rules = {parse_route(wanted, all)};
  route_session session(all, false);
  program_runner runner({MALLARD_ROUTED_PROGRAM, "trees_until", found.path()});
  session.prepare(rules, route_session::purpose::by_malloc);
  const std::jthread waits([&](const std::stop_token& over) {
    while (!over.stop_requested() && session.outcomes({wanted}).at(0).blocks == 0) usleep(1'000);
    std::ofstream(found.path()).put(' ');
  });
  session.mark_during([&] {
    const auto done = runner.run({{"LD_PRELOAD", MALLARD_ROUTE_FILE},
                                  {mallard::route::session_kind.variable, session.path()}},
                                 false);
    EXPECT_EQ(done.status, 0);
  });
  EXPECT_GT(session.outcomes({wanted}).at(0).blocks, 0);
}

TEST(whatif, a_program_that_dies_of_the_signal_of_samples_is_not_sampled) {
  auto options = options_for("resets_signals", {{"one_request", "monotonic"}});
  const whatif_result done = try_whatif(options);
  EXPECT_EQ(done.status, 0);
  for (const whatif_outcome& one : done.outcomes) EXPECT_TRUE(ran(one));
}

TEST(whatif, threads_that_are_shorter_than_a_turn_share_it) {
  const auto got = try_one(options_for("short_threads", {{"one_request", "monotonic"}}));
  EXPECT_TRUE(got.in_turns);
  EXPECT_TRUE(was_told(got));
  EXPECT_EQ(got.routes.at(0).blocks, 12000U * 200);
}

// A few of them wait at any time, whatever is allocated in between.
TEST(whatif, arenas_whose_last_block_dies_later_are_used_again) {
  for (const char* const what : {"late_requests", "late_threads"}) {
    const auto got = try_one(options_for(what, {{"leaves_late", "monotonic"}}));
    EXPECT_GT(got.routes.at(0).survivors, 1000U) << what;
    EXPECT_LT(got.routes.at(0).peak_bytes, std::uint64_t{4} << 20) << what;
  }
}

TEST(whatif, a_scope_whose_blocks_live_on_has_no_turns) {
  EXPECT_FALSE(try_one(options_for("survivors", {{"one_leaky_request", "monotonic"}})).in_turns);
}

TEST(whatif, where_there_is_time_for_one_run_it_is_in_turns) {
  auto options = options_for("many_requests", {{"one_request", "monotonic"}});
  options.names_survivors = false;
  options.time_budget = 1e-9;
  const auto got = try_one(options);
  EXPECT_TRUE(got.in_turns);
  EXPECT_TRUE(was_told(got));
  options = options_for("survivors", {{"one_leaky_request", "monotonic"}});
  options.names_survivors = false;
  options.time_budget = 1e-9;
  EXPECT_TRUE(ran(try_one(options)));
}

TEST(whatif, a_program_that_is_slow_with_the_hook_leaves_time_for_mallocs) {
  auto options = options_for("", {{"size:40-40", "multipool"}});
  options.command = {
      "sh", "-c",
      std::string("test -z \"$") + mallard::route::session_kind.variable + "\" || sleep 600"};
  options.mallocs = {MALLARD_MALLOC_FILE};
  options.last_start = 2;
  const std::vector<whatif_outcome> all = try_whatif(options).outcomes;
  ASSERT_EQ(all.size(), 4U);
  EXPECT_NE(all[2].remark.find("with the hook, the program takes more than"), std::string::npos);
  EXPECT_TRUE(ran(all[3]));
  EXPECT_EQ(all[3].remark, "");
}

TEST(whatif, frame_pointers_find_the_same_where_there_are_some) {
  auto options = options_for("requests", {{"size:40-40", "multipool"}});
  options.by_frame_pointers = true;
  const auto got = try_one(options);
  EXPECT_EQ(got.routes.at(0).blocks, 100U * 200);
}

TEST(whatif, stacks_that_differ_in_one_outer_frame_alone_are_told_apart) {
  const auto got = try_one(options_for("twins", {{"second_twin", "heap"}}));
  EXPECT_EQ(got.routes.at(0).blocks, 2U * (20 * 21 / 2));
}

TEST(whatif, blocks_of_a_recursive_function_are_told_by_the_frame_that_they_are_below) {
  for (const char* const strategy : {"monotonic", "multipool"}) {
    const auto got = try_one(options_for("trees", {{"tree_inside", strategy}}));
    EXPECT_EQ(got.routes.at(0).blocks, 200U * 127) << strategy;
    EXPECT_EQ(got.routes.at(0).bytes, 200U * 127 * 40) << strategy;
    EXPECT_EQ(got.routes.at(0).survivors, 0U);
    if (strategy == std::string_view("monotonic")) {
      EXPECT_GE(got.routes.at(0).resets, 199U);
      EXPECT_LT(got.routes.at(0).peak_bytes, 16U << 10);
    }
  }
}

TEST(whatif, a_size_is_looked_at_where_the_function_fits) {
  const auto got = try_one(options_for(
      "twins", {{"second_twin+size:41-", "heap"}, {"first_twin+size:40", "monotonic"}}));
  EXPECT_EQ(got.routes.at(0).blocks, 0U);
  EXPECT_EQ(got.routes.at(1).blocks, 2U * (20 * 21 / 2));
}

TEST(whatif, what_lives_on_is_counted_and_named) {
  const auto got = try_one(options_for("survivors", {{"one_leaky_request", "monotonic"}}));
  EXPECT_TRUE(ran(got));
  EXPECT_EQ(got.routes.at(0).blocks, 100U);
  const auto named = try_one(options_for("survivors", {{"scope:leaky", "monotonic"}}));
  EXPECT_EQ(named.routes.at(0).survivors, 50U);
  ASSERT_FALSE(named.routes.at(0).survivor_names.empty());
  EXPECT_NE(named.routes[0].survivor_names[0].find("one_leaky_request"), std::string::npos);
}

TEST(whatif, what_functions_keep_can_be_left_out) {
  const auto got = try_one(options_for("cached", {{"handle_one+not:remember_one", "monotonic"}}));
  EXPECT_TRUE(ran(got));
  EXPECT_EQ(got.routes.at(0).blocks, 50U * 3);
  EXPECT_EQ(got.routes.at(0).survivors, 0U);
  EXPECT_GE(got.routes.at(0).resets, 49U);  // the last one ends with the program
}

TEST(whatif, a_scope_ends_with_the_outermost_of_its_name) {
  const auto got = try_one(options_for("scopes", {{"scope:request", "monotonic"}}));
  EXPECT_EQ(got.routes.at(0).blocks, 30U * 400);
  EXPECT_EQ(got.routes[0].resets, 30U);
}

TEST(whatif, the_first_route_that_matches_takes_the_block) {
  const auto got = try_one(options_for(
      "requests",
      {{"one_request+size:41-", "heap"}, {"one_request", "heap"}, {"size:1-", "heap"}}));
  EXPECT_EQ(got.routes.at(0).blocks, 0U);
  EXPECT_EQ(got.routes.at(1).blocks, 100U * 200);
}

TEST(whatif, every_entry_point_is_as_without_for_every_strategy) {
  for (const char* what : {"every_entry", "across"}) {
    const std::string where = std::string(what) == "across" ? "routed" : "every_entry|growing";
    for (const whatif_outcome& got : try_each_strategy(what, where)) {
      EXPECT_GE(got.routes.at(0).blocks, 100U) << what << ' ' << got.variant;
    }
  }
}

TEST(whatif, blocks_pass_between_threads_for_every_strategy) {
  for (const whatif_outcome& got : try_each_strategy("threads", "produce")) {
    EXPECT_EQ(got.routes.at(0).blocks + got.routes[0].passed_on, 2U * 2000 + 50 * 51)
        << got.variant;
  }
}

TEST(whatif, forks_are_survived_for_every_strategy) {
  for (const whatif_outcome& got : try_each_strategy("forking", "produce")) {
    EXPECT_GE(got.routes.at(0).blocks, 10U * 600) << got.variant;
  }
}

TEST(whatif, programs_that_are_executed_are_routed_too) {
  const auto got = try_one(options_for("executing", {{"one_request", "multipool"}}));
  EXPECT_TRUE(ran(got));
  EXPECT_EQ(got.routes.at(0).blocks, 2U * 100 * 200);
}

TEST(whatif, a_block_that_is_freed_twice_ends_the_program) {
  auto options = options_for("double_free", {{"produce", "heap"}});
  const auto got = try_one(options);
  EXPECT_NE(got.remark, "");
  EXPECT_EQ(got.runs, 0U);
}

TEST(whatif, output_is_compared_where_it_can_be) {
  const auto got = try_one(options_for("chatty", {{"one_request", "monotonic"}}));
  EXPECT_TRUE(ran(got));
  EXPECT_EQ(got.runs, 1U);
  auto options = options_for("different", {{"produce", "monotonic"}});
  EXPECT_NE(complaint(options).find("differs from run to run"), std::string::npos);
  options.check_output = false;
  EXPECT_TRUE(ran(try_whatif(options).outcomes.back()));
}

TEST(whatif, what_matches_nothing_says_what_is_near) {
  EXPECT_NE(complaint(options_for("requests", {{"one_reqest", "heap"}})).find("one_request"),
            std::string::npos);
  EXPECT_NE(complaint(options_for("scopes", {{"scope:reqest", "heap"}})).find("request"),
            std::string::npos);
  EXPECT_NE(
      complaint(options_for("requests", {{"module:routed_progam", "heap"}})).find("routed_program"),
      std::string::npos);
}

TEST(whatif, what_cannot_be_preloaded_is_refused) {
  auto options = options_for("requests", {{"one_request", "heap"}});
  options.command = {MALLARD_STATIC_PROGRAM, "requests"};
  EXPECT_NE(complaint(options).find("linked statically"), std::string::npos);
  options.command = {"/no/such/program"};
  EXPECT_NE(complaint(options).find("no such program"), std::string::npos);
  options.command = {};
  EXPECT_NE(complaint(options), "");
  options = options_for("requests", {});
  options.mallocs = {"no-such-malloc"};
  EXPECT_NE(complaint(options).find("no-such-malloc"), std::string::npos);
}

TEST(whatif, in_a_race_what_is_far_behind_runs_no_more) {
  auto options = options_for("requests", {});
  options.variants.clear();
  options.mallocs = {MALLARD_LATE_START};
  options.races = true;
  options.repetitions = 3;
  const std::vector<whatif_outcome> all = try_whatif(options).outcomes;
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[1].fell_behind);
  EXPECT_LE(all[1].runs, 1U);
  EXPECT_LE(all[0].runs, 1U) << "nothing is left to compare it with";
  options.races = false;
  EXPECT_EQ(try_whatif(options).outcomes[1].runs, 3U);
}

TEST(whatif, in_a_race_first_runs_that_last_a_second_are_a_round) {
  const mallard::scratch_file each("runs");
  auto options = options_for("requests", {});
  options.command = {"/bin/sh", "-c", "echo >>" + each.path() + "; exec sleep 1.01"};
  options.variants.clear();
  options.mallocs = {MALLARD_MALLOC_FILE, MALLARD_LATE_START};
  options.races = true;
  const std::vector<whatif_outcome> all = try_whatif(options).outcomes;
  ASSERT_EQ(all.size(), 3U);
  for (const whatif_outcome& one : all) EXPECT_EQ(one.runs, 1U) << one.variant;
  EXPECT_TRUE(all[2].fell_behind);
  std::ifstream runs(each.path());
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(runs), {}, '\n'), 3);
}

}  // namespace
