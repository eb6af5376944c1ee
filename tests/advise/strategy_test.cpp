// The table of strategies holds together.
#include "strategy/strategy.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "advise/rank.hpp"
#include "lab/measuring/strategies.hpp"

namespace {

using namespace mallard;

TEST(strategies, each_has_the_row_of_its_number_and_a_name_of_its_own) {
  std::set<std::string_view> names, replays;
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(strategies[i].is), i) << strategies[i].name;
    EXPECT_TRUE(names.insert(strategies[i].name).second) << strategies[i].name;
    EXPECT_EQ(find_strategy(strategies[i].name), strategies[i].is);
    if (!strategies[i].replay.empty()) {
      EXPECT_TRUE(replays.insert(strategies[i].replay).second) << strategies[i].name;
    }
  }
  EXPECT_EQ(find_strategy("slab"), std::nullopt);
}

TEST(strategies, a_resource_has_a_public_header_and_a_route) {
  for (const strategy_facts& one : strategies) {
    EXPECT_EQ(has_resource(one.is), !one.header.empty()) << one.name;
    EXPECT_EQ(has_resource(one.is), !one.given.empty()) << one.name;
    if (!has_resource(one.is)) continue;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(MALLARD_INCLUDE) / one.header))
        << one.header;
    EXPECT_TRUE(is_route(one.routed_as)) << one.name;
    EXPECT_EQ(facts_of(one.shared_as).routed_as, one.routed_as) << one.name;
  }
}

TEST(strategies, what_the_paper_has_is_replayed_under_its_name) {
  for (const strategy how :
       {strategy::monotonic, strategy::multipool, strategy::multipool_on_monotonic}) {
    const lab::strategy* const of_paper = lab::find_strategy(facts_of(how).replay);
    ASSERT_NE(of_paper, nullptr) << to_string(how);
    EXPECT_EQ(of_paper->how, lab::binding::abstract_base);
  }
  EXPECT_EQ(advise::replay_name(strategy::synchronized_heap), "sync-heap@mallard");
  EXPECT_EQ(advise::replay_name(strategy::switch_malloc), "");
}

}  // namespace
