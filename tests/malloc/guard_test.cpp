// Guarded blocks: wrong programs end where they are wrong, with the stacks of who allocated and who
// freed.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <regex>
#include <sstream>
#include <string>

#include "profile/trace/symbolizer.hpp"
#include "support/commands.hpp"
#include "support/scratch_path.hpp"

namespace {

using ended = mallard_test::command_end;

ended run(const std::string& mistake, const std::string& library,
          const std::string& options = "guard=1/1") {
  return mallard_test::run_command("MALLARD_MALLOC='" + options + "' LD_PRELOAD='" + library +
                                   "' exec '" MALLARD_GUARD_PROGRAM "' '" + mistake + "' 2>&1");
}

// The innermost function of the program in the stack that has this title; empty: none.
std::string function_in(const std::string& text, const std::string& title) {
  const std::size_t begin = text.find("  " + title + "\n");
  if (begin == text.npos) return {};
  std::string stack;
  std::istringstream lines(text.substr(begin));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("    #")) stack += line + '\n';
  std::smatch found;
  static const std::regex frame("#[0-9]+ (" MALLARD_GUARD_PROGRAM ")\\+0x([0-9a-f]+)");
  if (!std::regex_search(stack, found, frame)) return {};
  using namespace mallard::profile;
  module_info module;
  module.path = MALLARD_GUARD_PROGRAM;
  module.segments = {{0, UINT64_MAX / 2}};
  const stack_node nodes[] = {{}, {std::stoull(found[2], nullptr, 16) + 1, 0, 0}};
  const symbol_table symbols = symbolizer().find(nodes, {module});
  if (symbols.of.empty() || symbols.of.begin()->second.lines.empty()) return "?";
  return symbols.strings[symbols.of.begin()->second.lines.back().function];
}

class guarded_blocks : public testing::TestWithParam<const char*> {};

void expect_found(const ended& program, int signal, const std::string& what) {
  EXPECT_TRUE(WIFSIGNALED(program.status)) << program.text;
  EXPECT_EQ(WTERMSIG(program.status), signal) << program.text;
  EXPECT_EQ(program.text.rfind("mallard: " + what + ": 0x", 0), 0U) << program.text;
  EXPECT_EQ(function_in(program.text, "allocated at"), "allocate_it") << program.text;
}

bool is_sticky(const std::string& library) {
  return library == MALLARD_STICKY_FILE;
}

TEST_P(guarded_blocks, an_access_past_the_end_ends_the_program_with_its_stack_and_the_allocation) {
  if (is_sticky(GetParam())) GTEST_SKIP() << "there the block's record lies behind it";
  const ended past = run("past", GetParam());
  expect_found(past, SIGSEGV, "write past the end of a block");
  EXPECT_NE(past.text.find(" of 96 bytes at "), past.text.npos);
  EXPECT_EQ(function_in(past.text, "touched at"), "write_it") << past.text;
  const ended before = run("before", GetParam());
  expect_found(before, SIGSEGV, "write before a block");
}

TEST_P(guarded_blocks, an_access_to_a_freed_block_ends_the_program_with_all_three_stacks) {
  const ended wrote = run("freed", GetParam());
  expect_found(wrote, SIGSEGV, "write to a block that was freed");
  EXPECT_EQ(function_in(wrote.text, "freed at"), "free_it") << wrote.text;
  EXPECT_EQ(function_in(wrote.text, "touched at"), "write_it") << wrote.text;
  const ended read = run("read freed", GetParam());
  expect_found(read, SIGSEGV, "use of a block that was freed");
  EXPECT_EQ(function_in(read.text, "touched at"), "read_it") << read.text;
}

TEST_P(guarded_blocks, a_write_next_to_a_block_is_found_when_it_is_freed) {
  if (is_sticky(GetParam())) GTEST_SKIP() << "there the block's record lies behind it";
  expect_found(run("near", GetParam()), SIGABRT,
               "write past the end of a block, seen as it is freed");
  expect_found(run("near before", GetParam()), SIGABRT,
               "write before a block, seen as it is freed");
}

TEST_P(guarded_blocks, a_freed_block_that_is_resized_has_all_three_stacks) {
  const ended resized = run("resized", GetParam());
  expect_found(resized, SIGABRT, "use of a block that was freed");
  EXPECT_EQ(function_in(resized.text, "freed at"), "free_it") << resized.text;
  EXPECT_EQ(function_in(resized.text, "used at"), "resize_it") << resized.text;
}

TEST_P(guarded_blocks, a_right_program_goes_on) {
  const mallard::scratch_folder folder;
  for (const char* const options : {"guard=1/1", "guard=1/3", "guard=1/2,profile=100"}) {
    const ended program =
        run("right", GetParam(), options + (",profile_file=" + (folder / "profile").string()));
    EXPECT_EQ(program.status, 0) << program.text;
    EXPECT_EQ(program.text, "");
  }
}

std::string name_of(const testing::TestParamInfo<const char*>& library) {
  static constexpr const char* names[] = {"plain", "hardened", "sticky"};
  return names[library.index];
}
INSTANTIATE_TEST_SUITE_P(libraries, guarded_blocks,
                         testing::Values(MALLARD_PLAIN_FILE, MALLARD_HARDENED_FILE,
                                         MALLARD_STICKY_FILE),
                         name_of);

TEST(guarded_blocks_of_the_plain_build, a_wrong_free_ends_the_program_with_the_stacks) {
  const ended twice = run("twice", MALLARD_PLAIN_FILE);
  expect_found(twice, SIGABRT, "double free of the block");
  EXPECT_EQ(function_in(twice.text, "freed at"), "free_it") << twice.text;
  EXPECT_EQ(function_in(twice.text, "freed again at"), "free_it") << twice.text;
  expect_found(run("inside", MALLARD_PLAIN_FILE), SIGABRT, "free of an address inside of a block");
}

TEST(guarded_blocks_of_the_plain_build, a_fault_that_was_sent_ends_the_program) {
  const ended sent = run("sent", MALLARD_PLAIN_FILE);
  EXPECT_TRUE(WIFSIGNALED(sent.status));
  EXPECT_EQ(WTERMSIG(sent.status), SIGSEGV);
}

TEST(guarded_blocks_of_the_plain_build, other_faults_are_the_programs_own) {
  const ended null = run("no block", MALLARD_PLAIN_FILE);
  EXPECT_TRUE(WIFSIGNALED(null.status) && WTERMSIG(null.status) == SIGSEGV);
  EXPECT_EQ(null.text, "");
  const ended handled = run("own fault", MALLARD_PLAIN_FILE);
  EXPECT_EQ(handled.status, 0);
  EXPECT_EQ(handled.text, "handled\n");
  const ended before = run("own faults before", MALLARD_PLAIN_FILE, "");
  EXPECT_TRUE(WIFSIGNALED(before.status) && WTERMSIG(before.status) == SIGSEGV);
  EXPECT_EQ(before.text, "as asked\n");
}

}  // namespace
