// The order in which ways leave a race.
#include "whatif/race.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

using mallard::whatif::leaving;
using places = std::vector<std::size_t>;

TEST(whatif_race, nobody_leaves_where_each_round_has_room_for_all) {
  EXPECT_EQ(leaving({{1.2, 1}, {2, 1.5}, {1.5, 1}}, 3.5), places());
}

TEST(whatif_race, the_least_promising_leave_where_there_is_no_room) {
  EXPECT_EQ(leaving({{1.2, 1}, {2, 1.5}, {1.1, 1}, {1.5, 1}}, 2.9), (places{0, 2}));
}

TEST(whatif_race, two_stay_however_little_room_there_is) {
  EXPECT_EQ(leaving({{1.2, 1}, {2, 1.5}, {1.5, 1}}, -4), places{0});
}

TEST(whatif_race, a_way_that_is_to_stay_does_so_whatever_others_gain) {
  EXPECT_EQ(leaving({{1.2, 1, true}, {2, 1.5}, {1.5, 1}}, 2.5), places{2});
}

}  // namespace
