// The heap profile of a program that counts itself, read by the command's own reader of pprof's
// files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "profile/import/pprof.hpp"
#include "profile/trace/symbolizer.hpp"
#include "support/commands.hpp"
#include "support/read_file.hpp"
#include "support/scratch_path.hpp"

namespace {

namespace fs = std::filesystem;
using mallard::profile::summed_profile;

struct sums {
  double allocated = 0;
  double live = 0;
};
using sums_by_function = std::map<std::string, sums>;

// By the innermost function; "all" is the sum.
sums_by_function read_profile(const fs::path& path) {
  const summed_profile read = mallard::profile::read_pprof(path.string());
  sums_by_function out;
  for (std::size_t i = 0; i < read.stacks.nodes.size(); ++i) {
    const auto& node = read.stacks.nodes[i];
    if (!node.own.any()) continue;
    const std::string name = i == 0 ? "(none)" : read.stacks.functions[node.function].name;
    for (sums* const one : {&out[name], &out["all"]}) {
      one->allocated += static_cast<double>(node.own.bytes);
      one->live += static_cast<double>(node.own.leaked_bytes);
    }
  }
  return out;
}

class profiled_program : public testing::Test {
 protected:
  // Returns what it says of itself.
  sums_by_function run(const std::string& arguments, const std::string& options,
                       const std::string& library = "") {
    const std::string program =
        library.empty() ? MALLARD_LINKED_PROGRAM : MALLARD_PRELOADED_PROGRAM;
    const std::string command = "cd '" + folder_.path().string() + "' && MALLARD_MALLOC='" +
                                options + "' LD_PRELOAD='" + library + "' '" + program + "' " +
                                arguments + " 2>&1";
    const auto [text, status] = mallard_test::run_command(command);
    EXPECT_EQ(status, 0) << text;
    sums_by_function truth;
    std::istringstream lines(text);
    for (std::string name; lines >> name;) {
      sums& one = truth[name];
      if (!(lines >> one.allocated >> one.live)) ADD_FAILURE() << text;
    }
    return truth;
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& one : fs::directory_iterator(folder_.path())) out.push_back(one.path());
    std::sort(out.begin(), out.end());
    return out;
  }
  fs::path only_file() const {
    const auto all = files();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? fs::path() : all.front();
  }

  const mallard::scratch_folder folder_;
};

class malloc_profile : public profiled_program, public testing::WithParamInterface<const char*> {};

// An estimate of so many bytes, sampled one in so many, is off by no more than six of its standard
// deviations: in one of 10^9 cases it is.
void expect_near(double estimate, double truth, double mean_bytes, const std::string& what,
                 double more = 0) {
  const double error = 6 * std::sqrt(truth * mean_bytes) + 1;
  EXPECT_GE(estimate, truth - error) << what;
  EXPECT_LE(estimate, (1 + more) * truth + error) << what;
}

TEST_P(malloc_profile, estimates_what_each_function_allocated_and_what_lives) {
  constexpr double mean = 16 << 10;
  const sums_by_function truth = run("count", "profile=16K", GetParam());
  EXPECT_EQ(truth.size(), 6U);
  const sums_by_function profile = read_profile(only_file());
  // The sticky library asks for a record of 8 bytes with each block: a tenth more for small ones.
  const double records = std::string(GetParam()).find("sticky") == std::string::npos ? 0 : 0.1;
  for (const auto& [name, one] : truth) {
    ASSERT_EQ(profile.count(name), 1U) << name;
    expect_near(profile.at(name).allocated, one.allocated, mean, name, records);
    expect_near(profile.at(name).live, one.live, mean, name, records);
  }
}

TEST_P(malloc_profile, with_every_block_a_sample_every_call_does_what_it_does_without) {
  run("all", "profile=1", GetParam());
  const sums_by_function profile = read_profile(only_file());
  EXPECT_GT(profile.at("all").allocated, 100e6);
  EXPECT_LT(profile.at("all").live, 200e3);  // of the C library
}

std::string name_of(const testing::TestParamInfo<const char*>& library) {
  static constexpr const char* names[] = {"linked", "plain", "hardened", "sticky"};
  return names[library.index];
}
INSTANTIATE_TEST_SUITE_P(libraries, malloc_profile,
                         testing::Values("", MALLARD_PLAIN_FILE, MALLARD_HARDENED_FILE,
                                         MALLARD_STICKY_FILE),
                         name_of);

class linked_malloc_profile : public profiled_program {};

TEST_F(linked_malloc_profile, is_exact_where_every_byte_is_sampled) {
  const sums_by_function truth = run("count", "profile=1");
  const sums_by_function profile = read_profile(only_file());
  for (const auto& [name, one] : truth) {
    EXPECT_NEAR(profile.at(name).allocated, one.allocated, 1e-3 * one.allocated) << name;
    EXPECT_NEAR(profile.at(name).live, one.live, 1e-3 * one.live) << name;
  }
}

TEST_F(linked_malloc_profile, names_its_modules_by_their_build_ids) {
  run("count", "profile=16K");
  const std::string file = mallard_test::read_file(only_file());
  const std::string id = mallard::profile::build_id_of(MALLARD_LINKED_PROGRAM);
  if (id.empty()) GTEST_SKIP();
  std::string digits;
  for (const char c : id) {
    digits += "0123456789abcdef"[static_cast<unsigned char>(c) / 16];
    digits += "0123456789abcdef"[static_cast<unsigned char>(c) % 16];
  }
  EXPECT_NE(file.find(digits), std::string::npos);
}

TEST_F(linked_malloc_profile, blocks_of_heaps_and_scopes_go_with_them) {
  run("heaps", "profile=1");
  const sums_by_function profile = read_profile(only_file());
  EXPECT_GT(profile.at("all").allocated, 20e6);
  EXPECT_LT(profile.at("all").live, 200e3);
}

TEST_F(linked_malloc_profile, begins_ends_and_is_written_where_the_program_says) {
  const sums_by_function truth = run("calls here.pb", "");
  const sums_by_function profile = read_profile(only_file());
  EXPECT_EQ(profile.count("keep_object"), 0U);  // before it began
  EXPECT_EQ(profile.count("keep_array"), 0U);   // after it had ended
  expect_near(profile.at("keep_small").live, truth.at("keep_small").live, 16 << 10, "live");
}

TEST_F(linked_malloc_profile, is_written_at_a_signal) {
  const sums_by_function truth = run("signal", "profile=16K,profile_signal=USR2,profile_file=at");
  const fs::path file = only_file();
  EXPECT_TRUE(file.filename().string().starts_with("at."));
  expect_near(read_profile(file).at("keep_object").live, truth.at("keep_object").live, 16 << 10,
              "live");
}

TEST_F(linked_malloc_profile, is_written_later_where_the_stack_for_signals_is_small) {
  run("small-stack", "profile=16K,profile_signal=USR2");
  only_file();
}

TEST_F(linked_malloc_profile, is_written_while_modules_come_and_go) {
  run("modules '" MALLARD_MODULE "'", "profile=64K,profile_signal=USR2");
  EXPECT_EQ(files().size(), 1500U);
}

TEST_F(linked_malloc_profile, leaves_a_later_handler_of_the_program_as_it_is) {
  run("own-handler", "profile=16K,profile_signal=USR2");
}

TEST_F(linked_malloc_profile, is_written_each_time_that_what_lives_has_grown) {
  run("grow", "profile=16K,profile_at=10M");
  const auto all = files();
  EXPECT_GE(all.size(), 3U);
  EXPECT_LE(all.size(), 4U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(read_profile(all[i]).at("all").live, 10.6e6 * static_cast<double>(i + 1), 2e6);
  }
}

TEST_F(linked_malloc_profile, is_written_by_a_thread_with_a_small_stack) {
  run("grow-on-small-stack", "profile=16K,profile_at=10M");
  EXPECT_GE(files().size(), 3U);
}

TEST_F(linked_malloc_profile, a_forked_child_goes_on_with_it) {
  const sums_by_function truth = run("fork", "profile=16K");
  const sums_by_function profile = read_profile(only_file());
  for (const char* const name : {"keep_object", "keep_small"}) {
    expect_near(profile.at(name).live, truth.at(name).live, 16 << 10, name);
  }
}

TEST_F(linked_malloc_profile, is_written_where_memory_is_used_up) {
  run("exhausted here.pb", "");
  EXPECT_GT(read_profile(only_file()).at("all").allocated, 40e6);
}

TEST_F(linked_malloc_profile, a_file_beyond_the_largest_size_is_named_and_ends_nothing) {
  const std::string command = "cd '" + folder_.path().string() +
                              "' && ulimit -f 0 && MALLARD_MALLOC=profile=16K '" +
                              MALLARD_LINKED_PROGRAM + "' all 2>&1";
  const auto [text, status] = mallard_test::run_command(command);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text.rfind("mallard: the heap profile cannot be written: mallard-heap.", 0), 0U)
      << text;
  EXPECT_TRUE(files().empty());
}

TEST_F(linked_malloc_profile, replaces_no_file_of_an_earlier_process_of_the_same_number) {
  const std::string program = "exec '" + std::string(MALLARD_LINKED_PROGRAM) + "' count";
  const std::string command =
      "cd '" + folder_.path().string() +
      "' && echo earlier >mallard-heap.$$.0.pb && MALLARD_MALLOC=profile=16K " + program;
  EXPECT_EQ(mallard_test::run_command(command).status, 0);
  ASSERT_EQ(files().size(), 2U);
  EXPECT_EQ(mallard_test::read_file(files()[0]), "earlier\n");
  EXPECT_GT(read_profile(files()[1]).at("all").allocated, 1e6);
}

TEST_F(linked_malloc_profile, a_file_that_cannot_be_written_is_named) {
  const std::string command = std::string("MALLARD_MALLOC=profile=16K,profile_file=/none/here '") +
                              MALLARD_LINKED_PROGRAM + "' all 2>&1";
  const auto [text, status] = mallard_test::run_command(command);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text.rfind("mallard: the heap profile cannot be written: /none/here.", 0), 0U) << text;
}

}  // namespace
