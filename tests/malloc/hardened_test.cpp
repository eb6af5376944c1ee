// What the hardened malloc says of a program's mistakes: each in a process of its own.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

struct ending {
  std::string text;
  int code;  // as the shell has it: 128 and the signal's number after a signal
};

ending run(const std::string& misuse, const std::string& options = "") {
  const std::string command = "ulimit -c 0; MALLARD_MALLOC=" + options +
                              " LD_PRELOAD=" MALLARD_HARDENED_FILE " " MALLARD_MISUSE_PROGRAM " " +
                              misuse + " 2>&1; echo \"code $?\"";
  ending out{"", -1};
  FILE* const pipe = popen(("exec 2>/dev/null; " + command).c_str(), "r");
  char line[512];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    // The shell says itself what a signal did.
    if (std::sscanf(line, "code %d", &out.code) != 1 && std::strcmp(line, "Aborted\n") != 0) {
      out.text += line;
    }
  }
  pclose(pipe);
  return out;
}

void expect_report(const std::string& misuse, const std::string& line) {
  const ending end = run(misuse);
  EXPECT_EQ(end.code, 128 + SIGABRT) << misuse;
  EXPECT_EQ(end.text.rfind("mallard: " + line + ": 0x", 0), 0u) << misuse << ": " << end.text;
  EXPECT_EQ(end.text.find('\n'), end.text.size() - 1) << misuse << ": " << end.text;
}

TEST(hardened_malloc, a_block_freed_twice_is_reported) {
  for (const char* misuse : {"double_free", "double_free_later", "double_free_elsewhere",
                             "double_free_large", "double_free_huge", "free_after_move"}) {
    expect_report(misuse, "double free of the block");
  }
}

TEST(hardened_malloc, a_free_inside_a_block_is_reported) {
  for (const char* misuse : {"free_interior", "free_unaligned", "free_inside_large"}) {
    expect_report(misuse, "free of an address inside a block");
  }
}

TEST(hardened_malloc, a_free_of_what_malloc_did_not_hand_out_is_reported) {
  for (const char* misuse : {"free_static", "free_stack", "free_near_null", "free_not_canonical",
                             "free_foreign_mapping"}) {
    expect_report(misuse, "free of an address that malloc did not hand out");
  }
}

TEST(hardened_malloc, the_use_of_a_freed_block_by_realloc_is_reported) {
  expect_report("realloc_freed", "use of a block that was freed");
}

TEST(hardened_malloc, a_wrong_size_is_reported) {
  for (const char* misuse : {"wrong_sized_delete", "wrong_free_sized", "wrong_free_aligned"}) {
    expect_report(misuse, "free of a block with a wrong size");
  }
}

TEST(hardened_malloc, a_write_past_a_large_block_faults) {
  EXPECT_EQ(run("overflow_by_one").code, 128 + SIGSEGV);
  EXPECT_EQ(run("overflow_by_many").code, 128 + SIGSEGV);
}

TEST(hardened_malloc, an_overflow_into_the_header_of_a_slab_is_reported) {
  expect_report("overflow_into_header", "a block before this slab was written beyond its end");
}

TEST(hardened_malloc, an_overwritten_link_of_a_freed_block_is_reported) {
  expect_report("write_to_sent_block", "a block was written to after it was freed");
}

TEST(hardened_malloc, blocks_are_cleared_when_freed_if_asked_for) {
  EXPECT_EQ(run("not_cleared").code, 0);
  EXPECT_EQ(run("not_cleared", "zero_on_free=on").code, 128 + SIGABRT);
}

}  // namespace
