#include "profile/export/stack_formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "profile/export/perfetto.hpp"
#include "support/commands.hpp"
#include "support/scratch_path.hpp"

namespace mallard::profile {
namespace {

// main -> parse -> new, and main -> parse;odd -> new; 3 and 2 blocks of 10 bytes.
stack_profile small() {
  stack_profile p;
  p.functions = {{"main", "prog", "/src/main.cpp", 3},
                 {"parse", "prog", "/src/parse.cpp", 14},
                 {"odd;name\nhere", "prog", "", 0}};
  p.nodes.resize(4);
  p.nodes[1] = {0, 0, {}};
  p.nodes[2] = {1, 1, {6, 3, 30, 0, 0, 1, 500, 30, 3}};
  p.nodes[3] = {1, 2, {2, 2, 20, 20, 2, 0, 0}};
  return p;
}

TEST(collapsed, has_a_line_for_each_stack_with_the_weight) {
  EXPECT_EQ(to_collapsed(small(), *find_weight("alloc_space")),
            "main;parse 30\nmain;odd:name here 20\n");
  EXPECT_EQ(to_collapsed(small(), *find_weight("inuse_objects")), "main;odd:name here 2\n");
}

TEST(collapsed, is_empty_without_stacks) {
  EXPECT_EQ(to_collapsed({}, *find_weight("alloc_space")), "");
}

TEST(find_weight, knows_no_other_names) {
  EXPECT_EQ(find_weight("space"), nullptr);
}

TEST(speedscope, has_a_profile_for_each_weight_that_occurs) {
  const auto whole = nlohmann::json::parse(to_speedscope(small(), "prog"));
  ASSERT_EQ(whole["profiles"].size(), std::size(weight_kinds));
  const auto& space = whole["profiles"][1];
  EXPECT_EQ(space["name"], "alloc_space");
  EXPECT_EQ(space["unit"], "bytes");
  EXPECT_EQ(space["endValue"], 50);
  EXPECT_EQ(space["samples"], (nlohmann::json{{0, 1}, {0, 2}}));
  EXPECT_EQ(space["weights"], (nlohmann::json{30, 20}));
  EXPECT_EQ(whole["shared"]["frames"][1]["file"], "/src/parse.cpp");
}

TEST(speedscope, keeps_a_profile_where_nothing_was_allocated) {
  EXPECT_EQ(nlohmann::json::parse(to_speedscope({}, "idle"))["profiles"].size(), 1u);
}

TEST(speedscope, replaces_bytes_that_are_no_text) {
  stack_profile p = small();
  p.functions[0].name = "\xff\xfe";
  EXPECT_TRUE(nlohmann::json::accept(to_speedscope(p, "\xff")));
}

// A message's fields: number and, for a varint, its value, or else its bytes.
struct field {
  std::uint64_t number;
  std::uint64_t value;
  std::string bytes;
};

std::uint64_t take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

std::vector<field> fields_of(std::string_view text) {
  std::vector<field> all;
  while (!text.empty()) {
    const std::uint64_t key = take_varint(text);
    const std::uint64_t value = take_varint(text);
    all.push_back({key >> 3, value, {}});
    if ((key & 7) != 2) continue;
    all.back().bytes = text.substr(0, value);
    text.remove_prefix(value);
  }
  return all;
}

std::vector<std::uint64_t> packed(std::string_view text) {
  std::vector<std::uint64_t> all;
  while (!text.empty()) all.push_back(take_varint(text));
  return all;
}

constexpr recording_time five_ms{1'700'000'000'000'000'000, 5'000'000};

TEST(pprof, has_a_sample_for_each_stack_with_the_innermost_location_first) {
  std::vector<std::vector<std::uint64_t>> samples;
  for (const field& one : fields_of(to_pprof(small(), five_ms))) {
    if (one.number != 2) continue;
    for (const field& part : fields_of(one.bytes)) samples.push_back(packed(part.bytes));
  }
  const std::vector<std::vector<std::uint64_t>> expected = {
      {2, 1}, {3, 30, 0, 0, 3, 30, 1, 6, 500}, {3, 1}, {2, 20, 2, 20, 0, 0, 0, 2, 0}};
  EXPECT_EQ(samples, expected);
}

TEST(pprof, says_names_files_and_times_and_starts_its_strings_with_an_empty_one) {
  std::vector<std::string> strings;
  std::uint64_t start = 0;
  std::uint64_t functions = 0;
  for (const field& one : fields_of(to_pprof(small(), five_ms))) {
    if (one.number == 6) strings.push_back(one.bytes);
    if (one.number == 9) start = one.value;
    if (one.number == 5) ++functions;
  }
  EXPECT_EQ(strings.front(), "");
  EXPECT_THAT(strings, testing::IsSupersetOf({"alloc_space", "bytes", "parse", "/src/parse.cpp"}));
  EXPECT_EQ(start, 1'700'000'000'000'000'000u);
  EXPECT_EQ(functions, 3u);
}

// Go builds its reader when it is first asked for, which takes minutes: so only when wanted.
TEST(pprof, is_read_by_gos_own_reader) {
  if (std::getenv("MALLARD_LONG_TESTS") == nullptr) GTEST_SKIP() << "MALLARD_LONG_TESTS is not set";
  if (!mallard_test::is_installed("go")) GTEST_SKIP() << "no go on this machine";
  const scratch_file file;
  std::ofstream(file.path(), std::ios::binary) << to_pprof(small(), five_ms);
  const auto [text, status] =
      mallard_test::run_command("go tool pprof -raw " + file.path() + " 2>&1");
  EXPECT_EQ(status, 0);
  EXPECT_THAT(text, testing::HasSubstr("alloc_space/bytes"));
  EXPECT_THAT(text, testing::HasSubstr("parse /src/parse.cpp:14"));
}

TEST(perfetto, has_a_counter_for_each_subsystem_and_a_slice_for_each_epoch) {
  timeline data;
  data.times = {1000, 2000};
  data.names = {"parse", "others"};
  data.live = {{10, 0}, {5, 5}};
  data.epochs = {{1, {{100, 1500}}}, {0, {}}};
  const auto events = nlohmann::json::parse(to_perfetto(data, "prog", 12))["traceEvents"];
  int counters = 0;
  for (const auto& one : events) {
    if (one["ph"] == "C") ++counters;
    if (one["ph"] == "X") {
      EXPECT_EQ(one["ts"], 0.1);
      EXPECT_EQ(one["dur"], 1.4);
    }
  }
  EXPECT_EQ(counters, 4);
}

}  // namespace
}  // namespace mallard::profile
