// Places, and what kernels read.
#include "lab/measuring/place.hpp"

#include <gtest/gtest.h>

#include <map>

#include "lab/measuring/readings.hpp"

namespace mallard::lab {
namespace {

TEST(place, keeps_the_order_in_which_names_were_added) {
  place at = {{"threads", 4}, {"block", 64}};
  at["form"] = std::string("own");
  EXPECT_EQ(to_string(at), "threads 4, block 64, form own");
  at["block"] = 8;
  at.erase("threads");
  EXPECT_EQ(to_string(at), "block 8, form own");
  EXPECT_EQ(to_string(place{}), "");
}

TEST(place, compares_whatever_the_order) {
  const place one = {{"a", 1}, {"b", "x"}};
  const place other = {{"b", "x"}, {"a", 1}};
  EXPECT_EQ(one, other);
  EXPECT_NE(one, (place{{"a", 1}}));
  EXPECT_NE(one, (place{{"a", 1}, {"b", "y"}}));
  EXPECT_NE((place{{"a", 1}}), (place{{"a", "1"}}));
  std::map<place, int> found;
  found[one] = 1;
  found[other] = 2;
  EXPECT_EQ(found.size(), 1U);
  EXPECT_EQ(found.at(one), 2);
}

TEST(place, missing_and_mistyped_values_are_named) {
  const place at = {{"threads", 4}, {"form", "own"}, {"seconds", 0.5}};
  EXPECT_EQ(at.number("threads"), 4);
  EXPECT_EQ(at.real("threads"), 4);
  EXPECT_EQ(at.real("seconds"), 0.5);
  EXPECT_EQ(at.word("form"), "own");
  EXPECT_THROW(at.number("form"), std::out_of_range);
  EXPECT_THROW(at.word("threads"), std::out_of_range);
  EXPECT_THROW(at.at("block"), std::out_of_range);
}

TEST(place, joining_replaces_what_both_have) {
  place at = {{"a", 1}, {"b", 2}};
  at.join({{"b", 3}, {"c", 4}});
  EXPECT_EQ(to_string(at), "a 1, b 3, c 4");
}

TEST(readings, are_as_many_as_the_kernel_gives) {
  readings taken;
  for (std::int64_t part = 0; part < 5000; ++part) {
    taken.add("value", static_cast<double>(part), part);
  }
  taken.add("time", 0.25);
  EXPECT_EQ(taken.all().size(), 5001U);
  EXPECT_EQ(taken.value_of("value", 4999), 4999);
  EXPECT_EQ(taken.value_of("time"), 0.25);
  EXPECT_TRUE(taken.has("time"));
  EXPECT_FALSE(taken.has("rss"));
  taken.clear();
  EXPECT_TRUE(taken.all().empty());
}

}  // namespace
}  // namespace mallard::lab
