// The hardened malloc's words on a program's mistakes: each in a process of its own.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdio>
#include <sstream>
#include <string>

#include "support/commands.hpp"

namespace {

struct ending {
  std::string text;
  int code;  // as the shell has it: 128 and the signal's number after a signal
};

ending run(const std::string& misuse, const std::string& options = "",
           const std::string& library = MALLARD_HARDENED_FILE) {
  const std::string command = "ulimit -c 0; MALLARD_MALLOC=" + options + " LD_PRELOAD=" + library +
                              " timeout 60 " MALLARD_MISUSE_PROGRAM " " + misuse +
                              " 2>&1; echo \"code $?\"";
  ending out{"", -1};
  std::istringstream lines(mallard_test::run_command("exec 2>/dev/null; " + command).text);
  for (std::string line; std::getline(lines, line);) {
    // The shell says itself what a signal did.
    if (std::sscanf(line.c_str(), "code %d", &out.code) != 1 && line != "Aborted") {
      out.text += line + '\n';
    }
  }
  return out;
}

void expect_report(const std::string& misuse, const std::string& line) {
  const ending end = run(misuse);
  EXPECT_EQ(end.code, 128 + SIGABRT) << misuse;
  EXPECT_EQ(end.text.rfind("mallard: " + line + ": 0x", 0), 0u) << misuse << ": " << end.text;
  EXPECT_EQ(end.text.find('\n'), end.text.size() - 1) << misuse << ": " << end.text;
}

TEST(hardened_malloc, a_block_freed_twice_is_reported) {
  for (const char* misuse :
       {"double_free", "double_free_later", "double_free_elsewhere", "double_free_large",
        "double_free_huge", "free_after_move", "free_by_two_threads", "double_free_smallest",
        "double_free_medium", "double_free_aligned", "double_delete", "double_free_of_ended_thread",
        "double_free_between_others", "free_after_heap", "free_after_heap_huge"}) {
    expect_report(misuse, "double free of the block");
  }
}

TEST(hardened_malloc, a_free_inside_a_block_is_reported) {
  for (const char* misuse :
       {"free_interior", "free_unaligned", "free_inside_large", "free_inside_huge"}) {
    expect_report(misuse, "free of an address inside a block");
  }
}

TEST(hardened_malloc, a_free_of_what_malloc_did_not_hand_out_is_reported) {
  for (const char* misuse :
       {"free_static", "free_stack", "free_near_null", "free_not_canonical", "free_foreign_mapping",
        "free_literal", "free_thread_stack", "free_kernel_address"}) {
    expect_report(misuse, "free of an address that malloc did not hand out");
  }
}

TEST(hardened_malloc, the_use_of_a_freed_block_by_realloc_is_reported) {
  for (const char* misuse :
       {"realloc_freed", "realloc_moved", "usable_size_freed", "destroy_heap_twice"}) {
    expect_report(misuse, "use of a block that was freed");
  }
  expect_report("realloc_interior", "use of an address inside a block");
  expect_report("realloc_static", "use of an address that malloc did not hand out");
}

TEST(hardened_malloc, a_wrong_size_is_reported) {
  for (const char* misuse :
       {"wrong_sized_delete", "wrong_free_sized", "wrong_free_aligned", "wrong_aligned_delete",
        "wrong_sized_array_delete", "wrong_size_of_same_class"}) {
    expect_report(misuse, "free of a block with a wrong size");
  }
}

TEST(hardened_malloc, an_alignment_that_the_address_does_not_have_is_reported) {
  for (const char* misuse : {"wrong_alignment_of_delete", "wrong_alignment_of_large_block"}) {
    expect_report(misuse, "free of a block with a wrong alignment");
  }
}

TEST(hardened_malloc, a_write_past_a_large_block_faults) {
  EXPECT_EQ(run("overflow_by_one").code, 128 + SIGSEGV);
  EXPECT_EQ(run("overflow_by_many").code, 128 + SIGSEGV);
}

TEST(hardened_malloc, an_overflow_is_reported_when_the_block_comes_back) {
  for (const char* misuse : {"overflow_then_free", "overflow_then_realloc",
                             "overflow_then_free_elsewhere", "overflow_in_heap"}) {
    expect_report(misuse, "a block was written beyond its end");
  }
}

// Whichever of the neighbours is the first to come back or to be handed out.
TEST(hardened_malloc, an_overflow_of_a_block_that_stays_is_reported_by_its_neighbours) {
  for (const char* misuse :
       {"overflow_inside_class", "overflow_past_usable", "overflow_past_small"}) {
    const ending end = run(misuse);
    EXPECT_EQ(end.code, 128 + SIGABRT) << misuse;
    const bool is_named = end.text.find(": a block was written beyond its end: 0x") == 7 ||
                          end.text.find(": the bytes before a block were overwritten: 0x") == 7 ||
                          end.text.find(": a block was written to after it was freed: 0x") == 7;
    EXPECT_TRUE(is_named) << misuse << ": " << end.text;
  }
}

TEST(hardened_malloc, an_underflow_is_reported) {
  expect_report("underflow_small", "the bytes before a block were overwritten");
}

TEST(hardened_malloc, an_overflow_into_the_header_of_a_slab_is_reported) {
  expect_report("overflow_into_header", "a block before this slab was written beyond its end");
}

TEST(hardened_malloc, a_write_to_a_freed_block_is_reported) {
  for (const char* misuse : {"write_after_free", "write_to_sent_block"}) {
    expect_report(misuse, "a block was written to after it was freed");
  }
}

TEST(hardened_malloc, a_wrong_size_is_only_reported_if_asked_for) {
  const ending end = run("wrong_sized_delete", "wrong_sizes=report");
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.text.rfind("mallard: free of a block with a wrong size: 0x", 0), 0u) << end.text;
  EXPECT_NE(end.text.find(", 72 bytes, not 200\nnot stopped\n"), std::string::npos) << end.text;
  EXPECT_EQ(run("wrong_sized_delete", "wrong_sizes=abort").code, 128 + SIGABRT);
}

TEST(hardened_malloc, freed_memory_of_a_large_block_faults) {
  for (const char* misuse : {"write_after_free_large", "write_after_next_large",
                             "write_after_other_large", "read_after_free_huge"}) {
    EXPECT_EQ(run(misuse).code, 128 + SIGSEGV) << misuse;
  }
}

TEST(hardened_malloc, a_sample_of_the_profile_is_checked_as_a_large_block_is) {
  for (const char* misuse :
       {"overflow_past_usable", "overflow_past_small", "write_after_free", "overflow_then_free",
        "double_free", "free_interior", "overflow_far_in_heap"}) {
    const ending end = run(misuse, "profile=1,profile_file=/proc/none");
    EXPECT_GE(end.code, 128) << misuse << ": " << end.text;
  }
}

// Then freed blocks no longer move.
TEST(hardened_malloc, of_many_large_blocks_in_a_second_each_is_checked) {
  expect_report("double_free_where_one_was", "double free of the block");
  EXPECT_EQ(run("overflow_where_one_was").code, 128 + SIGSEGV);
  // No other block gets pages that a program has changed.
  EXPECT_EQ(run("read_only_where_one_was").code, 0);
}

TEST(hardened_malloc, a_write_before_a_large_block_is_reported) {
  expect_report("underflow_large", "the header before a large block was overwritten");
}

TEST(hardened_malloc, a_free_where_no_block_can_begin_ends_the_program) {
  for (const char* misuse : {"free_past_end", "free_before_block", "free_region_start"}) {
    EXPECT_EQ(run(misuse).code, 128 + SIGABRT) << misuse;
  }
}

// docs/malloc.md says that it does not find these; but it is not led astray either.
TEST(hardened_malloc, what_goes_unnoticed_leaves_the_malloc_sound) {
  for (const char* misuse :
       {"double_free_after_reuse", "read_after_free", "write_inside_freed", "wrong_size_in_class",
        "overflow_into_slack", "overflow_beyond_canary"}) {
    const ending end = run(misuse);
    EXPECT_EQ(end.code, 0) << misuse << ": " << end.text;
    EXPECT_EQ(end.text, "not stopped\n") << misuse;
  }
}

TEST(plain_malloc, a_block_that_two_threads_free_does_not_hang_the_third) {
  for (const char* library : {MALLARD_PLAIN_FILE, MALLARD_STICKY_FILE}) {
    const ending end = run("free_by_two_threads", "", library);
    EXPECT_EQ(end.code, 128 + SIGABRT) << library;
    EXPECT_EQ(end.text.rfind("mallard: double free of the block: 0x", 0), 0u) << end.text;
  }
}

TEST(hardened_malloc, blocks_are_cleared_when_freed_if_asked_for) {
  EXPECT_EQ(run("not_cleared").code, 0);
  EXPECT_EQ(run("not_cleared", "zero_on_free=on").code, 128 + SIGABRT);
}

TEST(hardened_malloc, blocks_that_are_cleared_are_used_again_in_a_scope) {
  EXPECT_EQ(run("right_in_a_scope", "zero_on_free=on").code, 0);
}

TEST(hardened_malloc, a_block_that_was_resized_where_it_is_has_its_new_size) {
  EXPECT_EQ(run("right_sizes_when_resized").code, 0);
}

}  // namespace
