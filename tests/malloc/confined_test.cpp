// Processes that get less of the system than usual: each on its own, on each of the libraries.
#include <gtest/gtest.h>

#include <string>

#include "support/commands.hpp"

namespace {

class confined_malloc : public testing::TestWithParam<const char*> {
 protected:
  static bool is_hardened() {
    return std::string(GetParam()).find("hardened") != std::string::npos;
  }
  // `preloaded` goes before the malloc.
  // `before` is what the shell does first.
  void expect_works(const std::string& confinement, const std::string& options = "",
                    const std::string& preloaded = "", const std::string& before = "") {
    const std::string command = before + "MALLARD_MALLOC=" + options + " LD_PRELOAD=" + preloaded +
                                ":" + GetParam() + " timeout 100 " MALLARD_CONFINED_PROGRAM " " +
                                confinement + " 2>&1";
    const mallard_test::command_end end = mallard_test::run_command(command);
    EXPECT_EQ(end.status, 0) << confinement << ": " << end.text;
    EXPECT_EQ(end.text, "") << confinement;
  }
};

TEST_P(confined_malloc, huge_blocks_grow_without_mremap) {
  expect_works("mremap_forbidden");
  expect_works("mremap_unknown");
  expect_works("mremap_out_of_memory");
}

TEST_P(confined_malloc, a_huge_block_grows_to_what_fits) {
  expect_works("room_for_growth_limited");
}

TEST_P(confined_malloc, opens_no_file_once_the_program_has_begun) {
  expect_works("files_forbidden");
}

TEST_P(confined_malloc, asks_for_no_limit_once_the_program_has_begun) {
  expect_works("limits_forbidden");
}

TEST_P(confined_malloc, asks_for_no_memory_in_use_where_the_amount_to_keep_is_set) {
  expect_works("limits_and_usage_forbidden", "idle=128M");
}

TEST_P(confined_malloc, asks_for_no_random_bytes_once_the_program_has_begun) {
  expect_works("random_bytes_forbidden");
  expect_works("random_bytes_forbidden", "guard=1/100");
}

TEST_P(confined_malloc, does_without_mprotect) {
  expect_works("mprotect_forbidden");
}

TEST_P(confined_malloc, a_write_behind_a_large_block_faults_without_mprotect) {
  if (is_hardened()) expect_works("mprotect_forbidden_to_guards");
}

TEST_P(confined_malloc, kept_mappings_of_hundreds_of_mib_serve_others) {
  expect_works("kept_mappings_of_hundreds_of_mib", "idle=2G");
}

TEST_P(confined_malloc, pages_of_16_kib_go_back_without_what_is_beside_them) {
  expect_works("large_pages", "", MALLARD_16_KIB_PAGES_FILE);
}

TEST_P(confined_malloc, pages_of_64_kib_go_back_without_what_is_beside_them) {
  expect_works("large_pages", "", MALLARD_64_KIB_PAGES_FILE);
}

TEST_P(confined_malloc, limited_addresses_serve_one_size_after_the_other) {
  expect_works("addresses_limited");
}

TEST_P(confined_malloc, a_block_gets_addresses_that_were_reserved_for_others) {
  expect_works("addresses_taken_at_once");
}

// The library that checks for misuse has states of all addresses, and pages that fault.
TEST_P(confined_malloc, blocks_of_one_size_get_nearly_all_addresses) {
  for (const char* const size : {"1_kb", "1_mib", "3_mib", "5_mib"}) {
    expect_works(
        std::string("addresses_filled_by_") + size, "", "",
        is_hardened() ? "ulimit -v 262144; LEAST_MIB=200 " : "ulimit -v 262144; LEAST_MIB=230 ");
  }
}

TEST_P(confined_malloc, most_addresses_serve_a_program_that_limits_itself) {
  expect_works("addresses_limited_late", "", "", "LEAST_MIB=190 ");
}

// The program, the C++ library and what it allocates.
TEST_P(confined_malloc, forty_mib_of_addresses_are_enough_from_the_start) {
  expect_works("few_addresses", "", "", "ulimit -v 40960; ");
}

// The system takes all of it at once.
TEST_P(confined_malloc, gives_no_memory_back_when_the_process_ends) {
  expect_works("ends_with_free_memory");
}

TEST_P(confined_malloc, limited_data_serve_one_size_after_the_other) {
  expect_works("data_limited");
}

TEST_P(confined_malloc, only_what_is_used_is_locked_in_memory) {
  expect_works("locked");
}

TEST_P(confined_malloc, a_trim_gives_locked_memory_back) {
  expect_works("locked_and_trimmed");
}

TEST_P(confined_malloc, mappings_are_placed_without_more_locked_in_memory) {
  expect_works("mappings_locked");
}

TEST_P(confined_malloc, can_do_with_little_memory_that_may_be_locked) {
  expect_works("lock_limited");
}

TEST_P(confined_malloc, blocks_shrink_when_there_is_no_memory_for_smaller_ones) {
  expect_works("shrink_when_exhausted", "limit=100M");
}

TEST_P(confined_malloc, large_blocks_fill_a_limit) {
  expect_works("limit_filled_by_1_mib", "limit=64M");
}

TEST_P(confined_malloc, a_request_beyond_the_limit_makes_no_other_one_fail) {
  expect_works("impossible_requests_beside", "limit=1G");
}

TEST_P(confined_malloc, large_blocks_do_with_the_mappings_that_a_process_has) {
  expect_works("many_large_blocks");
}

TEST_P(confined_malloc, under_a_limit_all_that_is_free_serves_a_request) {
  for (const std::string options : {"limit=26M", "limit=26M,idle=0"}) {
    expect_works("blocks_of_20_kb_before", options);
    expect_works("blocks_of_256_kib_before", options);
    expect_works("blocks_of_7_mib_before", options);
  }
}

INSTANTIATE_TEST_SUITE_P(, confined_malloc,
                         testing::Values(MALLARD_PLAIN_FILE, MALLARD_HARDENED_FILE,
                                         MALLARD_STICKY_FILE),
                         [](const auto& library) {
                           const std::string file = library.param;
                           return file.find("hardened") != file.npos ? "hardened"
                                  : file.find("sticky") != file.npos ? "sticky"
                                                                     : "plain";
                         });

}  // namespace
