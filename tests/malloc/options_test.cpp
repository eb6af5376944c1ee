// The options in the environment variable MALLARD_MALLOC, of a program that is started with them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "support/commands.hpp"

namespace {

// The text that the program writes, to the standard error too, with the variable set so.
std::string output_with(const std::string& options, const std::string& mib = "1",
                        const std::string& program = "'" MALLARD_OPTION_PROGRAM "'") {
  const mallard_test::command_end end = mallard_test::run_command(
      "MALLARD_MALLOC='" + options + "' " + program + " " + mib + " 2>&1");
  EXPECT_EQ(end.status, 0) << end.text;
  return end.text;
}

TEST(malloc_options, none_is_fine) {
  EXPECT_EQ(output_with(""), "allocated\n");
  EXPECT_EQ(output_with(","), "allocated\n");
}

TEST(malloc_options, good_ones_are_taken_silently) {
  EXPECT_EQ(output_with("idle=0,huge_pages=off,limit=1G"), "allocated\n");
  EXPECT_EQ(output_with("huge_pages=on,idle=64M"), "allocated\n");
}

// From each line of the file that the pattern finds, its first group and the rest of the line.
std::map<std::string, std::string> rows_of(const std::string& path, const std::string& pattern) {
  std::ifstream file(MALLARD_SOURCE_FOLDER "/" + path);
  const std::regex row(pattern);
  std::map<std::string, std::string> rows;
  std::smatch found;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_search(line, found, row)) rows[found[1]] = found.suffix();
  }
  return rows;
}

std::set<std::string> names_of(const std::map<std::string, std::string>& rows) {
  std::set<std::string> names;
  for (const auto& [row, rest] : rows) names.insert(row.substr(0, row.find('=')));
  return names;
}

const char* const in_header = R"(^ \*   ([a-z_]+=[A-Za-z0-9/|]+))";
const char* const in_document = R"(^\| `([a-z_]+=[A-Za-z0-9/\\|]+)` \|)";

TEST(malloc_options, each_is_in_the_table_of_the_header_and_of_the_document) {
  const std::set<std::string> taken =
      names_of(rows_of("src/malloc/options.cpp", R"re(\{"([a-z_]+)", [a-z_:]+\})re"));
  EXPECT_GE(taken.size(), 7u);
  EXPECT_EQ(names_of(rows_of("include/mallard/malloc/malloc.h", in_header)), taken);
  EXPECT_EQ(names_of(rows_of("docs/malloc.md", in_document)), taken);
}

TEST(malloc_options, each_value_that_the_document_names_is_taken) {
  for (const auto& [row, meaning] : rows_of("docs/malloc.md", in_document)) {
    if (meaning.find("hardened build") != meaning.npos || row.ends_with("=BYTES") ||
        row.ends_with("CALLS")) {
      continue;
    }
    const std::size_t equals = row.find('=');
    std::istringstream values(row.substr(equals + 1));
    for (std::string value; std::getline(values, value, '|');) {
      if (value.ends_with('\\')) value.pop_back();
      const std::string option = row.substr(0, equals + 1) + value;
      EXPECT_EQ(output_with(option).find("not understood"), std::string::npos) << option;
    }
  }
}

TEST(malloc_options, the_limit_is_kept) {
  EXPECT_EQ(output_with("limit=100M", "50"), "allocated\n");
  EXPECT_EQ(output_with("limit=100M", "150"), "refused\n");
  EXPECT_EQ(output_with("limit=102400K", "150"), "refused\n");
}

TEST(malloc_options, memory_of_a_program_that_calls_nothing_goes_back_in_the_background) {
  EXPECT_EQ(output_with("background=on", "idle"), "gone\ngone\n");
}

TEST(malloc_options, the_thread_in_the_background_keeps_no_program_from_ending) {
  const std::string program = "timeout -s KILL 20 '" MALLARD_OPTION_PROGRAM "'";
  for (int run = 0; run < 5; ++run) {
    EXPECT_EQ(output_with("background=on", "leave-alone", program), "ended\n");
  }
  EXPECT_EQ(output_with("background=on", "leave", program), "allocated\nended\n");
  EXPECT_EQ(output_with("background=on", "unseen", program), "ended\n");
}

bool has_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  return std::getline(file, line) && line.find("[never]") == line.npos;
}

TEST(malloc_options, all_memory_comes_in_huge_pages_that_are_split_when_parts_go_back) {
  if (!has_huge_pages()) GTEST_SKIP() << "the system has no huge pages";
  EXPECT_EQ(output_with("huge_pages=all", "grow"),
            "few faults for small blocks, few for large ones, shrunk, unchanged\n");
  EXPECT_EQ(output_with("huge_pages=off", "grow"),
            "many faults for small blocks, many for large ones, shrunk, unchanged\n");
}

TEST(malloc_options, what_is_not_understood_is_named_and_left_out) {
  for (const std::string bad : {"colour=red",
                                "idle",
                                "idle=",
                                "idle=x",
                                "limit=0",
                                "limit=-1",
                                "limit=12X",
                                "limit=1MM",
                                "limit=99999999999999999999",
                                "huge_pages=yes",
                                "background=1",
                                "stats=xml",
                                "=",
                                "profile=0",
                                "profile=on",
                                "guard=5000",
                                "guard=1/0",
                                "guard=1/x",
                                "profile_signal=SEGVX",
                                "profile_signal=0",
                                "profile_signal=9",
                                "profile_signal=19",
                                "profile_at=x",
                                "limit=18446744073709551615K"}) {
    EXPECT_EQ(output_with(bad + ",limit=100M", "150"),
              "mallard: option of MALLARD_MALLOC not understood: " + bad + "\nrefused\n");
  }
}

TEST(malloc_options, no_profile_is_written_at_the_signal_of_a_fault) {
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS}) {
    const std::string option = "profile_signal=" + std::to_string(fault);
    EXPECT_EQ(output_with(option),
              "mallard: option of MALLARD_MALLOC not understood: " + option + "\nallocated\n");
  }
}

TEST(malloc_options, a_program_with_other_rights_than_who_starts_it_reads_none) {
  const std::string program = MALLARD_OPTION_PROGRAM "-of-another-user";
  struct statvfs where{};
  ASSERT_EQ(statvfs(MALLARD_OPTION_PROGRAM, &where), 0);
  if ((where.f_flag & ST_NOSUID) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0) {
    GTEST_SKIP() << "here no program has other rights";
  }
  std::filesystem::copy_file(MALLARD_OPTION_PROGRAM, program,
                             std::filesystem::copy_options::overwrite_existing);
  constexpr uid_t other_user = 65'534;
  if (chown(program.c_str(), other_user, other_user) != 0) {
    std::filesystem::remove(program);
    GTEST_SKIP() << "needs the right to give a file away";
  }
  ASSERT_EQ(chmod(program.c_str(), S_ISUID | 0755), 0);
  EXPECT_EQ(output_with("limit=100M,colour=red", "150", "'" + program + "'"), "allocated\n");
  std::filesystem::remove(program);
}

TEST(malloc_options, too_many_are_ignored) {
  EXPECT_EQ(output_with(std::string(600, 'x')),
            "mallard: MALLARD_MALLOC is too long, and ignored\nallocated\n");
}

// Neither a pipe that nobody reads nor a file that may not grow ends it.
TEST(malloc_options, what_cannot_be_said_ends_no_program) {
  for (const std::string options : {"nonsense", "stats=json"}) {
    const std::string run =
        "MALLARD_MALLOC=" + options + " '" MALLARD_OPTION_PROGRAM "' 1 >/dev/null";
    const std::string piped =
        "exec 3>&1; { sleep 0.3; " + run + "; echo $? >&3; } 2>&1 >/dev/null | true";
    EXPECT_EQ(mallard_test::run_command(piped).text, "0\n") << options;
    const std::string file = testing::TempDir() + "/limited-" + std::to_string(getpid());
    const std::string filed =
        "(ulimit -f 0; " + run + " 2>'" + file + "'); echo $?; rm '" + file + "'";
    EXPECT_EQ(mallard_test::run_command(filed).text, "0\n") << options;
  }
}

TEST(malloc_options, figures_come_at_the_end_also_when_the_standard_error_was_closed) {
  const std::string json = output_with("stats=json");
  EXPECT_NE(json.find("{\"in_use_bytes\":"), json.npos) << json;
  EXPECT_TRUE(json.ends_with("}}\n")) << json;
  const std::string metrics = output_with("stats=openmetrics");
  EXPECT_NE(metrics.find("\nmallard_malloc_in_use_bytes "), metrics.npos) << metrics;
  const std::string text = output_with("stats=text");
  EXPECT_NE(text.find("mallard: in use "), text.npos) << text;
}

TEST(malloc_options, figures_go_to_the_standard_error_and_no_other_file) {
  const std::string program = "MALLARD_MALLOC=stats=text '" MALLARD_OPTION_PROGRAM "' ";
  const auto text_of = [&](const std::string& command) {
    return mallard_test::run_command(command).text;
  };
  EXPECT_EQ(text_of(program + "reuse 2>/dev/null"), "");
  const std::string in_use = "mallard: in use ";
  EXPECT_EQ(text_of(program + "reuse 2>&1 >/dev/null").substr(0, in_use.size()), in_use);
  EXPECT_EQ(text_of("ulimit -n 64; " + program + "2>&1 >/dev/null").substr(0, in_use.size()),
            in_use);
}

// Whoever reads it to its end must not wait for a daemon, which closes its own.
TEST(malloc_options, a_forked_child_holds_no_copy_of_the_standard_error) {
  const std::string program = "MALLARD_MALLOC=stats=openmetrics '" MALLARD_OPTION_PROGRAM "' fork ";
  const mallard_test::command_end end = mallard_test::run_command(program + "2>&1 >/dev/null");
  EXPECT_EQ(end.status, 0);
  const std::size_t first = end.text.find("# EOF\n");
  ASSERT_NE(first, end.text.npos) << end.text;
  EXPECT_NE(end.text.find("# EOF\n", first + 1), end.text.npos) << "the child's";
}

// A signal's handler interrupts the write again and again, until somebody reads.
TEST(malloc_options, figures_come_whole_though_signals_interrupt_their_writing) {
  const std::string command = "{ MALLARD_MALLOC=stats=json '" MALLARD_OPTION_PROGRAM
                              "' alarms 2>&1 >/dev/null; } | { sleep 0.5; cat; }";
  const std::string json = mallard_test::run_command(command).text;
  EXPECT_TRUE(json.ends_with("}}\n")) << json;
}

}  // namespace
