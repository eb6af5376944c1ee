// Dimensions of recorded programs that are known from their text. Density has its own tests, with
// the sampler.
#include <nlohmann/json.hpp>

#include "command_fixture.hpp"

namespace {

using namespace mallard;
using nlohmann::json;

class planted_dimensions : public command_test {
 protected:
  json of_functions(const std::string& kind) const {
    EXPECT_EQ(run({"record", "-q", "-o", kind, "--", PLANTED_PROGRAM, kind}).status, 0);
    const ended shown = run({"dims", "--json", "--by", "function", kind});
    EXPECT_EQ(shown.status, 0) << shown.err;
    const json all = json::parse(shown.out);
    json out;
    for (const json& one : all.at("subsystems")) {
      out[one.at("name").get<std::string>()] = one;
    }
    return out;
  }
};

constexpr double count = 4096;

TEST_F(planted_dimensions, variation_is_of_sizes_and_of_how_often_each_comes) {
  const json even = of_functions("sizes").at("sizes").at("V");
  EXPECT_DOUBLE_EQ(even.at("literal"), 8 / count);
  EXPECT_DOUBLE_EQ(even.at("scaled"), 1);
  const json one_size = of_functions("relay").at("relay").at("V");
  EXPECT_DOUBLE_EQ(one_size.at("literal"), 1 / count);
  EXPECT_DOUBLE_EQ(one_size.at("scaled"), 0);
}

TEST_F(planted_dimensions, utilization_is_whole_where_all_of_an_epoch_lives_at_its_end) {
  const json rounds = of_functions("rounds").at("rounds");
  EXPECT_DOUBLE_EQ(rounds.at("U").at("literal"), 32 / count);
  EXPECT_DOUBLE_EQ(rounds.at("U").at("scaled"), 1);
  EXPECT_EQ(rounds.at("epochs").at("count"), 128);
  const json relay = of_functions("relay").at("relay");
  EXPECT_DOUBLE_EQ(relay.at("U").at("literal"), 2 / count);
  EXPECT_DOUBLE_EQ(relay.at("U").at("scaled"), 2 / count);
}

TEST_F(planted_dimensions, locality_is_low_where_others_blocks_lie_between) {
  const json found = of_functions("by_turns");
  EXPECT_DOUBLE_EQ(found.at("allocate_small").at("L").at("scaled"), 64.0 / 4096);
  EXPECT_GT(found.at("allocate_large").at("L").at("scaled"), 0.9);
}

TEST_F(planted_dimensions, fragmentability_is_how_often_another_allocates_alike_in_between) {
  const json by_turns = of_functions("alike_by_turns");
  const json in_runs = of_functions("alike_in_runs");
  for (const char* const one : {"allocate_small", "allocate_alike"}) {
    EXPECT_DOUBLE_EQ(by_turns.at(one).at("F").at("scaled"), 1);
    EXPECT_DOUBLE_EQ(in_runs.at(one).at("F").at("scaled"), 15 / (count / 2 - 1));
  }
}

// How high it is depends on how much of the time other programs leave to these threads.
TEST_F(planted_dimensions, contention_is_of_threads_that_are_in_the_heap_at_once) {
  const double at_once = of_functions("threads_at_once").at("pairs").at("C").at("scaled");
  const double one_by_one = of_functions("threads_one_by_one").at("pairs").at("C").at("scaled");
  EXPECT_GT(at_once, 2 * one_by_one);
  EXPECT_LT(one_by_one, 0.05);
}

}  // namespace
