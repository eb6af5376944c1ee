#include "cli/lists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/usage_error.hpp"
#include "lab/peers.hpp"

namespace mallard::cli {
namespace {

using testing::ElementsAre;

template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto* row : rows) names.emplace_back(row->name);
  return names;
}

template <class Parse>
std::string complaint(const Parse& parse) {
  try {
    parse();
  } catch (const usage_error& problem) {
    return problem.what();
  }
  return "no complaint";
}

TEST(Lists, StructuresAreNumbersNamesAndRanges) {
  EXPECT_THAT(names_of(parse_structures("1,DS4, 9-11")),
              ElementsAre("DS1", "DS4", "DS9", "DS10", "DS11"));
  EXPECT_EQ(parse_structures("all").size(), 12U);
}

TEST(Lists, RepeatedItemsCountOnce) {
  EXPECT_THAT(names_of(parse_structures("2,1-3,2")), ElementsAre("DS2", "DS1", "DS3"));
  EXPECT_THAT(parse_sizes("6,6,5-7"), ElementsAre(6, 5, 7));
}

TEST(Lists, StrategiesAreNamesAndRanges) {
  EXPECT_THAT(names_of(parse_strategies("AS1,AS3-AS5,AS3n")),
              ElementsAre("AS1", "AS3", "AS4", "AS5", "AS3n"));
  EXPECT_EQ(parse_strategies("all").size(), 18U);
}

TEST(Lists, WrongItemsAreNamedWithTheirOption) {
  EXPECT_EQ(complaint([] { parse_structures("1,13"); }),
            "--ds: unknown value '13' (known: 1 to 12, all)");
  EXPECT_EQ(complaint([] { parse_sizes("6,3"); }),
            "--sizes: unknown value '3' (known: 4 to 20, log2)");
  EXPECT_EQ(complaint([] { parse_sizes(""); }), "--sizes: unknown value '' (known: 4 to 20, log2)");
  EXPECT_EQ(complaint([] { parse_sizes("6-x"); }),
            "--sizes: unknown value 'x' (known: 4 to 20, log2)");
  EXPECT_EQ(complaint([] { parse_sizes("9-7"); }), "'9-7' is a range from high to low");
  EXPECT_EQ(complaint([] { parse_strategies("AS2,AS15"); }),
            "--strategies: unknown value 'AS15' (known: AS1 to AS14, AS3n to AS6n, all)");
  EXPECT_EQ(complaint([] { parse_strategies("AS4-AS2"); }),
            "'AS4-AS2' is a range from high to low");
  EXPECT_EQ(complaint([] { parse_heaps("clean,old"); }),
            "--heap: unknown value 'old' (known: clean, aged)");
}

TEST(Lists, BothHeapsHaveANameOfTheirOwn) {
  EXPECT_THAT(parse_heaps("both"), ElementsAre("clean", "aged"));
  EXPECT_THAT(parse_heaps("aged"), ElementsAre("aged"));
  EXPECT_NE(complaint([] { parse_heaps("both,aged"); }), "no complaint");
}

TEST(Lists, PeersAreThoseThatAreBuiltIn) {
  EXPECT_EQ(parse_peers("all").size(), lab::available_peers().size());
  EXPECT_THAT(parse_peers("std,mallard"), ElementsAre("std", "mallard"));
  EXPECT_NE(complaint([] { parse_peers("tcmalloc"); }), "no complaint");
  for (const auto& missing : lab::missing_peers()) {
    EXPECT_NE(complaint([&] { parse_peers(missing.peer); }).find(missing.reason),
              std::string::npos);
  }
}

TEST(Lists, ScaleIsAFractionAboveZeroAndUpToOne) {
  EXPECT_EQ(parse_scale("1"), 1.0);
  EXPECT_EQ(parse_scale("0.25"), 0.25);
  EXPECT_EQ(parse_scale("1/64"), 1.0 / 64);
  for (const char* wrong : {"0", "2", "-1", "1/0", "", "x", "1/", "/4", "1/64x", "nan", "inf"}) {
    EXPECT_NE(complaint([&] { parse_scale(wrong); }), "no complaint") << wrong;
  }
}

TEST(Lists, IntegersHaveRangesAndBounds) {
  EXPECT_THAT(parse_integers("--n", "3,1,4-6,5", 1, 8), ElementsAre(3, 1, 4, 5, 6));
  for (const char* wrong :
       {"", "0", "9", "-1", "1-", "2-1", "x", "1.5", "1,,2", "99999999999999999999"}) {
    EXPECT_NE(complaint([&] { parse_integers("--n", wrong, 1, 8); }), "no complaint") << wrong;
  }
  EXPECT_EQ(complaint([] { parse_integers("--n", "9", 1, 8); }),
            "--n: unknown value '9' (known: 1 to 8)");
}

TEST(Lists, LinksArePowersOrNumbersAndKnowTheirBase) {
  const auto check = [](const char* text, std::uint64_t links, unsigned base) {
    const lab::link_count total = parse_links(text);
    EXPECT_EQ(total.links, links) << text;
    EXPECT_EQ(total.base, base) << text;
  };
  check("2^21", 1 << 21, 2);
  check("2^31", std::uint64_t{1} << 31, 2);
  check("10^7", 10'000'000, 10);
  check("10000000", 10'000'000, 10);
  check("1048576", 1 << 20, 2);
  check("12345", 12345, 2);
  check("1", 1, 2);
  for (const char* wrong : {"", "0", "^", "2^", "^5", "2^32", "2^70", "10^10", "7^2", "-5", "2^-1",
                            "2147483649", "1e6", "2^18446744073709551615"}) {
    EXPECT_NE(complaint([&] { parse_links(wrong); }), "no complaint") << wrong;
  }
}

TEST(Lists, SeriesHaveTwoMoreStrategies) {
  EXPECT_THAT(parse_series_strategies("mutex,AS1-AS3,sync,AS2"),
              ElementsAre("mutex", "AS1", "AS2", "AS3", "sync"));
  EXPECT_EQ(parse_series_strategies("all").size(), lab::all_strategies().size() + 2);
  EXPECT_NE(complaint([] { parse_series_strategies("lock"); }), "no complaint");
}

TEST(Lists, BytesHaveBinaryUnits) {
  EXPECT_EQ(parse_bytes("--b", "100"), 100U);
  EXPECT_EQ(parse_bytes("--b", "3k"), 3072U);
  EXPECT_EQ(parse_bytes("--b", "2G"), 2ULL << 30);
  for (const char* wrong : {"", "G", "-1", "1.5G", "12Q", "20000000000G"}) {
    EXPECT_NE(complaint([&] { parse_bytes("--b", wrong); }), "no complaint") << wrong;
  }
}

}  // namespace
}  // namespace mallard::cli
