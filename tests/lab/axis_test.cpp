// Words that may be typed for the axes of benches, and for who is measured.
#include "lab/bench/axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/bench/rivals.hpp"
#include "lab/measuring/peers.hpp"
#include "lab/measuring/strategies.hpp"
#include "lab/measuring/usage_error.hpp"
#include "plans.hpp"
#include "support/message_of.hpp"

namespace mallard::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Parse>
std::string complaint(const Parse& parse) {
  return mallard_test::message_of<usage_error>(parse, "no complaint");
}

// The places of the axis of that name, as text.
std::vector<std::string> read(std::string_view bench, std::string_view name,
                              std::string_view text) {
  std::vector<std::string> values;
  for (const axis& one : bench_named(bench).axes) {
    if (one.name != name) continue;
    for (const place& at : one.read("--" + one.name, text)) {
      values.push_back(to_string(at.begin()->second));
    }
  }
  return values;
}

TEST(axes, integers_have_ranges_and_bounds) {
  EXPECT_THAT(parse_integers("--n", "3,1,4-6,5", 1, 8), ElementsAre(3, 1, 4, 5, 6));
  for (const char* wrong :
       {"", "0", "9", "-1", "1-", "2-1", "x", "1.5", "1,,2", "99999999999999999999"}) {
    EXPECT_NE(complaint([&] { parse_integers("--n", wrong, 1, 8); }), "no complaint") << wrong;
  }
  EXPECT_EQ(complaint([] { parse_integers("--n", "9", 1, 8); }),
            "--n: unknown value '9' (known: 1 to 8)");
  EXPECT_EQ(complaint([] { parse_integers("--n", "9-7", 1, 9); }),
            "--n: '9-7' is a range from high to low");
  EXPECT_THAT(complaint([] { parse_integers("--n", "1-4000000000", 1, 4'000'000'000); }),
              HasSubstr("more than 10000 values"));
}

TEST(axes, structures_are_numbers_names_and_ranges) {
  EXPECT_THAT(read("density", "ds", "1,DS4, 9-11"),
              ElementsAre("DS1", "DS4", "DS9", "DS10", "DS11"));
  EXPECT_THAT(read("density", "ds", "2,1-3,2"), ElementsAre("DS2", "DS1", "DS3"));
  EXPECT_EQ(read("density", "ds", "all").size(), 12U);
  EXPECT_EQ(complaint([] { read("density", "ds", "1,13"); }),
            "--ds: unknown value '13' (known: 1 to 12, all)");
  EXPECT_EQ(complaint([] { read("density", "sizes", "6,3"); }),
            "--sizes: unknown value '3' (known: 4 to 20)");
}

TEST(axes, strategies_are_names_and_ranges) {
  EXPECT_THAT(parse_strategies("--s", "AS1,AS3-AS5,AS3n"),
              ElementsAre("AS1", "AS3", "AS4", "AS5", "AS3n"));
  EXPECT_THAT(parse_strategies("--s", "mutex,AS1-AS3,sync,AS2"),
              ElementsAre("mutex", "AS1", "AS2", "AS3", "sync"));
  EXPECT_EQ(parse_strategies("--s", "all").size(), all_strategies().size() + 2);
  EXPECT_EQ(complaint([] { parse_strategies("--s", "AS2,AS15"); }),
            "--s: unknown value 'AS15' (known: AS1 to AS14, AS3n to AS6n, sync, mutex, all)");
  EXPECT_EQ(complaint([] { parse_strategies("--s", "AS4-AS2"); }),
            "--s: 'AS4-AS2' is a range from high to low");
}

TEST(axes, both_heaps_have_a_name_of_their_own) {
  EXPECT_THAT(parse_heaps("both"), ElementsAre("clean", "aged"));
  EXPECT_THAT(parse_heaps("aged"), ElementsAre("aged"));
  EXPECT_NE(complaint([] { parse_heaps("both,aged"); }), "no complaint");
  EXPECT_EQ(complaint([] { parse_heaps("clean,old"); }),
            "--heap: unknown value 'old' (known: clean, aged)");
}

TEST(axes, peers_are_those_that_are_built_in) {
  EXPECT_EQ(parse_peers("all").size(), available_peers().size());
  EXPECT_THAT(parse_peers("std,mallard"), ElementsAre("std", "mallard"));
  EXPECT_NE(complaint([] { parse_peers("tcmalloc"); }), "no complaint");
  for (const auto& missing : missing_peers()) {
    EXPECT_THAT(complaint([&] { parse_peers(missing.peer); }), HasSubstr(missing.reason));
  }
}

TEST(axes, scale_is_a_fraction_above_zero_and_up_to_one) {
  EXPECT_EQ(parse_scale("1"), 1.0);
  EXPECT_EQ(parse_scale("0.25"), 0.25);
  EXPECT_EQ(parse_scale("1/64"), 1.0 / 64);
  for (const char* wrong : {"0", "2", "-1", "1/0", "", "x", "1/", "/4", "1/64x", "nan", "inf"}) {
    EXPECT_NE(complaint([&] { parse_scale(wrong); }), "no complaint") << wrong;
  }
}

TEST(axes, links_are_powers_or_numbers) {
  EXPECT_THAT(read("locality", "links", "2^21"), ElementsAre("2097152"));
  EXPECT_THAT(read("locality", "links", "2^31"), ElementsAre("2147483648"));
  EXPECT_THAT(read("locality", "links", "10^7,12345,1"), ElementsAre("10000000", "12345", "1"));
  for (const char* wrong : {"", "0", "^", "2^", "^5", "2^32", "2^70", "10^10", "7^2", "-5", "2^-1",
                            "2147483649", "1e6", "2^18446744073709551615"}) {
    EXPECT_NE(complaint([&] { read("locality", "links", wrong); }), "no complaint") << wrong;
  }
}

TEST(axes, bytes_have_binary_units) {
  EXPECT_EQ(parse_bytes("--b", "100"), 100U);
  EXPECT_EQ(parse_bytes("--b", "3k"), 3072U);
  EXPECT_EQ(parse_bytes("--b", "2G"), 2ULL << 30);
  for (const char* wrong : {"", "G", "-1", "1.5G", "12Q", "20000000000G"}) {
    EXPECT_NE(complaint([&] { parse_bytes("--b", wrong); }), "no complaint") << wrong;
  }
}

TEST(axes, steps_are_factors_with_two_decimals_or_bytes) {
  EXPECT_THAT(read("realloc", "steps", "x1.5,x2,+64k"), ElementsAre("x1.5", "x2", "+64k"));
  EXPECT_THAT(read("realloc", "steps", "x100,x1.01"), ElementsAre("x100", "x1.01"));
  for (const char* wrong : {"", "x", "x1", "x1.", "x1.001", "x.5", "x101", "x-2", "x1e1", "+", "+1",
                            "+4095", "2", "x2,", "xnan"}) {
    EXPECT_NE(complaint([&] { read("realloc", "steps", wrong); }), "no complaint") << wrong;
  }
}

TEST(axes, real_numbers_have_bounds) {
  const axis one = real("seconds", "5", "How long", 0.01, 3600);
  EXPECT_EQ(one.read("--seconds", "0.5")[0].real("seconds"), 0.5);
  for (const char* wrong : {"", "0", "-1", "x", "nan", "inf", "1e9", "1,2"}) {
    EXPECT_NE(complaint([&] { one.read("--seconds", wrong); }), "no complaint") << wrong;
  }
}

}  // namespace
}  // namespace mallard::lab
