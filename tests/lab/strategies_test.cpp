// Strategies, structures and which library has which of them.
#include "lab/measuring/strategies.hpp"

#include <gtest/gtest.h>

#include <set>

#include "lab/bench/plan.hpp"
#include "lab/bench/rivals.hpp"
#include "lab/kernels/container_work.hpp"
#include "lab/measuring/contender.hpp"
#include "lab/measuring/peers.hpp"
#include "lab/measuring/structures.hpp"

namespace mallard::lab {
namespace {

// Table 1 of P0089R1, typed in again from the paper.
TEST(strategies, first_fourteen_are_the_papers_table1) {
  struct row {
    const char* label;
    const char* allocator;
    const char* bound;
    const char* destroyed;
  };
  constexpr row table1[] = {
      {"AS1", "global heap", "type parameter", "normal destruction"},
      {"AS2", "global heap", "abstract base", "normal destruction"},
      {"AS3", "monotonic", "type parameter", "normal destruction"},
      {"AS4", "monotonic", "type parameter", "winked out"},
      {"AS5", "monotonic", "abstract base", "normal destruction"},
      {"AS6", "monotonic", "abstract base", "winked out"},
      {"AS7", "multipool", "type parameter", "normal destruction"},
      {"AS8", "multipool", "type parameter", "winked out"},
      {"AS9", "multipool", "abstract base", "normal destruction"},
      {"AS10", "multipool", "abstract base", "winked out"},
      {"AS11", "multipool on monotonic", "type parameter", "normal destruction"},
      {"AS12", "multipool on monotonic", "type parameter", "winked out"},
      {"AS13", "multipool on monotonic", "abstract base", "normal destruction"},
      {"AS14", "multipool on monotonic", "abstract base", "winked out"},
  };
  std::size_t i = 0;
  for (const row& expected : table1) {
    const strategy& ours = all_strategies()[i++];
    EXPECT_EQ(ours.name, expected.label);
    EXPECT_EQ(to_string(ours.what), expected.allocator) << expected.label;
    EXPECT_EQ(to_string(ours.how), expected.bound) << expected.label;
    EXPECT_EQ(to_string(ours.end), expected.destroyed) << expected.label;
    EXPECT_TRUE(ours.published()) << expected.label;
  }
}

TEST(strategies, unbuffered_ones_differ_from_their_namesakes_in_the_buffer_only) {
  for (const char* name : {"AS3", "AS4", "AS5", "AS6"}) {
    const strategy* with = find_strategy(name);
    const strategy* without = find_strategy(std::string(name) + "n");
    ASSERT_TRUE(with && without);
    EXPECT_TRUE(with->callers_buffer);
    EXPECT_FALSE(without->callers_buffer);
    EXPECT_FALSE(without->published());
    EXPECT_EQ(with->what, without->what);
    EXPECT_EQ(with->how, without->how);
    EXPECT_EQ(with->end, without->end);
  }
}

TEST(strategies, every_arena_that_the_paper_gives_a_buffer_has_one) {
  for (const strategy& one : all_strategies()) {
    const bool arena =
        one.what == mechanism::monotonic || one.what == mechanism::multipool_on_monotonic;
    EXPECT_EQ(one.callers_buffer, arena && one.published()) << one.name;
  }
}

TEST(strategies, each_is_found_by_its_name) {
  for (const strategy& one : all_strategies()) {
    ASSERT_NE(find_strategy(one.name), nullptr);
    EXPECT_EQ(*find_strategy(one.name), one);
  }
}

TEST(strategies, unknown_names_are_not_found) {
  EXPECT_EQ(find_strategy("AS0"), nullptr);
  EXPECT_EQ(find_strategy("as1"), nullptr);
  EXPECT_EQ(find_structure("DS13"), nullptr);
  EXPECT_EQ(find_structure(""), nullptr);
}

TEST(structures, nested_ones_repeat_the_first_four_inside_a_vector_and_inside_a_set) {
  const auto all = all_structures();
  ASSERT_EQ(all.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(all[i].number, static_cast<int>(i) + 1);
    EXPECT_EQ(all[i].nested, i >= 4);
    EXPECT_EQ(all[i].inner_set, all[i % 4].inner_set);
    EXPECT_EQ(all[i].strings, all[i % 4].strings);
    if (i >= 4) {
      EXPECT_EQ(all[i].outer_set, i >= 8);
    }
  }
}

TEST(columns, global_heap_is_there_once_and_new_delete_is_not_ours) {
  rivals_request asked;
  asked.strategies = "all";
  asked.peers = "mallard,std";
  std::multiset<std::string> names;
  const bench& density = *find_bench("density");
  bench_request one_structure;
  one_structure.texts = {{"ds", "1"}, {"sizes", "6"}};
  const place at = make_places(density, one_structure).at(0).all;
  for (const contender& one : choose_rivals(density, asked).contenders) {
    if (density.kernel(one, at)) names.insert(column_name(one.strategy, one.peer));
  }
  EXPECT_EQ(names.count("AS1@global"), 1U);
  EXPECT_EQ(names.count("AS1@mallard") + names.count("AS1@std"), 0U);
  EXPECT_EQ(names.count("AS2@std"), 1U);
  EXPECT_EQ(names.count("AS2@mallard"), 0U);
  EXPECT_EQ(names.size(), 1U + 16U + 17U);
}

TEST(columns, every_available_peer_has_every_local_strategy_in_every_structure_and_mode) {
  for (const peer_version& peer : available_peers()) {
    for (const strategy& how : all_strategies()) {
      if (how.what == mechanism::global) continue;
      for (const structure& ds : all_structures()) {
        EXPECT_TRUE(find_container_kernel(ds.number, how, peer.name, fairness::fair));
        EXPECT_TRUE(find_container_kernel(ds.number, how, peer.name, fairness::paper));
      }
    }
  }
}

}  // namespace
}  // namespace mallard::lab
