// The readers of traces, as a user calls them on a trace of a real program.

#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command_fixture.hpp"
#include "profile/trace/trace_writer.hpp"
#include "support/commands.hpp"

namespace {

using namespace mallard;
using testing::HasSubstr;

class profile_command_test : public command_test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run({"record", "--no-cpu", "-o", "t.mallard", "--", "sort", "/etc/passwd"}).status,
              0);
  }
  nlohmann::json dims(const words& options = {}) const { return dims_of("t.mallard", options); }
  nlohmann::json dims_of(const std::string& trace, const words& options = {}) const {
    return nlohmann::json::parse(run(words{"dims", trace, "--json"} + options).out);
  }
  // The output of a shell in the folder, where $MALLARD is the command.
  std::string output_of(const std::string& line) const {
    return mallard_test::run_command("cd '" + file("").string() + "' && MALLARD='" +
                                     MALLARD_COMMAND + "' && " + line)
        .text;
  }
  std::string total_bytes() const {
    return std::to_string(dims()["total"]["bytes"].get<std::uint64_t>());
  }
  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(profile_command_test, dims_writes_the_command_as_a_shell_takes_it) {
  ASSERT_EQ(
      run({"record", "-q", "-o", "quoted.mallard", "--", "sort", "-t", " ", "/etc/passwd"}).status,
      0);
  EXPECT_THAT(run({"dims", "quoted.mallard"}).out, HasSubstr("sort -t ' ' /etc/passwd\n"));
}

TEST_F(profile_command_test, dims_and_top_agree_on_the_bytes) {
  const nlohmann::json total = dims()["total"];
  ASSERT_GT(total["allocations"].get<int>(), 0);
  std::uint64_t bytes = 0;
  const auto top = nlohmann::json::parse(run({"top", "t.mallard", "-n", "100000", "--json"}).out);
  for (const auto& one : top["places"]) bytes += one["bytes"].get<std::uint64_t>();
  EXPECT_EQ(bytes, total["bytes"].get<std::uint64_t>());
}

TEST_F(profile_command_test, every_grouping_has_all_the_bytes) {
  const auto total = dims()["total"]["bytes"].get<std::uint64_t>();
  for (const char* by : {"found", "module", "namespace", "function", "thread", "scope"}) {
    std::uint64_t bytes = 0;
    const nlohmann::json result = dims({"--by", by});
    for (const auto& one : result["subsystems"]) {
      bytes += one["total"]["bytes"].get<std::uint64_t>();
    }
    EXPECT_EQ(bytes, total) << by;
  }
}

TEST_F(profile_command_test, a_cut_has_the_events_of_its_time_alone) {
  ASSERT_EQ(run({"cut", "t.mallard", "--to", "1ns", "-o", "none.mallard"}).status, 0);
  const auto cut = nlohmann::json::parse(run({"dims", "none.mallard", "--json"}).out);
  EXPECT_EQ(cut["total"]["allocations"], 0);
  ASSERT_EQ(run({"cut", "t.mallard", "--from", "0ns", "-o", "all.mallard"}).status, 0);
  const auto all = nlohmann::json::parse(run({"dims", "all.mallard", "--json"}).out);
  EXPECT_EQ(all["total"], dims()["total"]);
}

TEST_F(profile_command_test, a_cut_lasts_from_where_it_was_cut) {
  const auto lasts_from = [&](std::uint64_t ns) {
    const std::string from = std::to_string(ns) + "ns";
    const auto made = run({"cut", "t.mallard", "--from", from, "-o", "late.mallard", "--force"});
    EXPECT_EQ(made.status, 0) << made.err;
    return dims_of("late.mallard")["duration_ns"].get<std::uint64_t>();
  };
  const std::uint64_t end = lasts_from(1) + 1;  // of a recording that began before its program
  const std::uint64_t middle = end - dims()["duration_ns"].get<std::uint64_t>() / 2;
  EXPECT_EQ(lasts_from(middle), end - middle);
}

TEST_F(profile_command_test, a_trace_without_a_readable_event_is_refused) {
  const std::string bytes = read_file(file("t.mallard"));
  const std::size_t second_chunk = bytes.find("MLCH", bytes.find("MLCH") + 1);
  write("cut.mallard", bytes.substr(0, second_chunk + 4));
  for (const words& call :
       {words{"dims", "cut.mallard"}, words{"top", "cut.mallard"},
        words{"cut", "cut.mallard", "-o", "x"}, words{"diff", "t.mallard", "cut.mallard"},
        words{"report", "cut.mallard", "-o", "x"}}) {
    expect_refused(call, 1,
                   "cut.mallard: unfinished or damaged, and none of its events is readable");
  }
  EXPECT_FALSE(fs::exists(file("x")));
}

TEST_F(profile_command_test, a_cut_of_a_truncated_trace_says_so_and_keeps_no_budget) {
  fs::resize_file(file("t.mallard"), fs::file_size(file("t.mallard")) * 3 / 4);
  const ended cut = run({"cut", "t.mallard", "-o", "part.mallard"});
  EXPECT_EQ(cut.status, 0);
  EXPECT_THAT(cut.out, HasSubstr("part.mallard: not whole, as t.mallard is not"));
  EXPECT_EQ(dims_of("part.mallard")["complete"], false);
  write("budget", "peak <= 10 GB\n");
  EXPECT_EQ(run({"check", "part.mallard", "--budget", "budget"}).status, 1);
}

TEST_F(profile_command_test, exports_have_a_row_for_each_block) {
  const auto allocations = dims()["total"]["allocations"].get<std::size_t>() +
                           dims()["total"]["reallocations"].get<std::size_t>();
  ASSERT_EQ(run({"export", "t.mallard", "--to", "csv", "-o", "b.csv"}).status, 0);
  EXPECT_EQ(lines(read_file(file("b.csv"))), allocations + 1);
  ASSERT_EQ(run({"export", "t.mallard", "--to", "sqlite", "-o", "b.db"}).status, 0);
  EXPECT_THAT(read_file(file("b.db")), testing::StartsWith("SQLite format 3"));
  if (!mallard_test::is_installed("sqlite3")) GTEST_SKIP() << "no sqlite3 to read the database";
  EXPECT_EQ(
      output_of("sqlite3 b.db 'PRAGMA integrity_check; SELECT count(*) FROM blocks;"
                " SELECT sum(bytes) FROM blocks; SELECT sum(bytes) FROM sites;'"),
      "ok\n" + std::to_string(allocations) + "\n" + total_bytes() + "\n" + total_bytes() + "\n");
}

TEST_F(profile_command_test, a_replaced_export_keeps_its_rights) {
  constexpr fs::perms own = fs::perms::owner_read | fs::perms::owner_write;
  for (const char* format : {"csv", "sqlite", "collapsed"}) {
    std::ofstream(file("kept")) << "before";
    fs::permissions(file("kept"), own);
    ASSERT_EQ(run({"export", "t.mallard", "--force", "--to", format, "-o", "kept"}).status, 0);
    EXPECT_EQ(fs::status(file("kept")).permissions(), own) << format;
    EXPECT_NE(read_file(file("kept")), "before") << format;
  }
}

// Both count what was still allocated when the program ended. No program that keeps its
// environment: the recorders add to it.
TEST_F(profile_command_test, live_bytes_are_heaptracks) {
  if (!mallard_test::is_installed("heaptrack")) GTEST_SKIP() << "no heaptrack to compare with";
  const auto total_of = [&](const std::string& name) {
    return nlohmann::json::parse(run({"dims", name, "--json"}).out)["total"];
  };
  ASSERT_EQ(output_of("seq 20000 >numbers"), "");
  for (const std::string program : {"sort -o sorted numbers", "sed -n H numbers"}) {
    output_of("rm -f h.zst h.gz");
    ASSERT_EQ(output_of("heaptrack -o h " + program + " >h.log 2>&1 || cat h.log"), "");
    const char* const recorded = fs::exists(file("h.zst")) ? "h.zst" : "h.gz";
    ASSERT_EQ(run({"import", recorded, "--force", "-o", "h.mallard"}).status, 0);
    output_of("\"$MALLARD\" record -q --force --no-cpu -o p.mallard -- " + program);
    const nlohmann::json ours = total_of("p.mallard");
    EXPECT_GT(ours["live_bytes"], 1000);
    EXPECT_EQ(ours["live_bytes"], total_of("h.mallard")["live_bytes"]) << program;
    EXPECT_EQ(ours["live_blocks"], total_of("h.mallard")["live_blocks"]) << program;
  }
}

TEST_F(profile_command_test, sums_of_dhat_have_dimensions_as_far_as_they_say) {
  write("d.json",
        R"json({"dhatFileVersion":2,"mode":"heap","cmd":"prog","pps":[
 {"tb":64,"tbk":2,"tl":10,"mb":64,"mbk":2,"gb":48,"gbk":0,"eb":32,"ebk":1,"fs":[1]}],
 "ftbl":["[root]","0x40: make() (a.cpp:9)"]})json");
  const ended text = run({"dims", "d.json"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("not recorded: times, threads"));
  EXPECT_THAT(text.out, HasSubstr("not known: it takes the order of operations"));
  const auto json = nlohmann::json::parse(run({"dims", "d.json", "--json"}).out);
  EXPECT_EQ(json["total"]["bytes"], 64);
  EXPECT_EQ(json["total"]["peak_bytes"], 48);
  EXPECT_TRUE(json["program"]["D"]["scaled"].is_null());
  expect_refused({"dims", "d.json", "--by", "thread"}, 2, "sums by stack have no threads");
}

// By the files that it was recorded with, which are still there.
TEST_F(profile_command_test, names_that_a_recording_lacks_are_found_later) {
  ASSERT_EQ(run({"record", "-q", "--no-cpu", "--no-symbols", "-o", "n.mallard", "--",
                 MALLARD_COMMAND, "dims", "t.mallard"})
                .status,
            0);
  EXPECT_THAT(run({"top", "n.mallard", "--sort", "operations", "-n", "1000"}).out,
              HasSubstr("mallard::"));
}

TEST_F(profile_command_test, exports_of_stacks_are_what_their_readers_take) {
  for (const char* to : {"speedscope", "perfetto"}) {
    ASSERT_EQ(run({"export", "t.mallard", "--to", to, "--force", "-o", "out"}).status, 0) << to;
    EXPECT_TRUE(nlohmann::json::accept(read_file(file("out")))) << to;
  }
  ASSERT_EQ(run({"export", "t.mallard", "--to", "pprof", "--force", "-o", "out"}).status, 0);
  EXPECT_THAT(read_file(file("out")), HasSubstr("alloc_space"));
  ASSERT_EQ(run({"export", "t.mallard", "--to", "collapsed", "--force", "-o", "out"}).status, 0);
  std::istringstream stacks(read_file(file("out")));
  std::uint64_t bytes = 0;
  for (std::string line; std::getline(stacks, line);) {
    bytes += std::stoull(line.substr(line.rfind(' ') + 1));
  }
  EXPECT_EQ(bytes, dims()["total"]["bytes"].get<std::uint64_t>());
}

TEST_F(profile_command_test, words_that_are_none_are_refused) {
  expect_refused({"dims", "t.mallard", "--by", "colour"}, 2, "--by: unknown value 'colour'");
  expect_refused({"dims", "t.mallard", "--subsystem", "a=("}, 2, "is not a regular expression");
  expect_refused({"dims", "t.mallard", "--subsystem", "noequals"}, 2, "NAME=REGEX");
  expect_refused({"top", "t.mallard", "--sort", "colour"}, 2, "--sort");
  expect_refused({"export", "t.mallard", "-o", "x"}, 2, "--to");
  for (const char* threads : {"9", "0,9"}) {
    expect_refused({"cut", "t.mallard", "--threads", threads, "-o", "x"}, 2,
                   "--threads: t.mallard has no thread 9, only 0 to 0");
  }
  expect_refused({"export", "t.mallard", "--to", "paper", "-o", "x"}, 2,
                 "--to: unknown value 'paper'");
  expect_refused({"export", "t.mallard", "--to", "collapsed", "--weight", "kg", "-o", "x"}, 2,
                 "--weight: unknown value 'kg'");
  std::ofstream(file("junk")) << "junk\n";
  expect_refused({"export", "junk", "--to", "csv", "-o", "x"}, 1, "junk: is not a trace");
  const char* neither = "not valid JSON, as result files of mallard bench are; nor is it a trace";
  expect_refused({"export", "junk", "--csv", "-o", "x"}, 1, neither);
  expect_refused({"report", "junk", "-o", "x"}, 1, neither);
  EXPECT_FALSE(fs::exists(file("x")));
}

TEST_F(profile_command_test, without_a_file_the_newest_trace_here_is_taken) {
  const std::string told = "mallard: reads t.mallard, the newest trace here\n";
  ASSERT_EQ(run({"cut", "t.mallard", "--to", "1ns", "-o", "a.mallard"}).status, 0);
  fs::last_write_time(file("a.mallard"),
                      fs::last_write_time(file("t.mallard")) - std::chrono::hours(1));
  write("z.trace", "no trace");
  write("budget", "peak <= 10 GB\n");
  for (const words& call :
       {words{"dims"}, words{"top"}, words{"check", "--budget", "budget"},
        words{"cut", "-o", "/dev/null"}, words{"export", "--to", "collapsed", "-o", "-"}}) {
    words named = call;
    named.insert(named.begin() + 1, "t.mallard");
    const ended with = run(named);
    const ended without = run(call);
    EXPECT_EQ(without.status, with.status) << call.front();
    EXPECT_EQ(without.out, with.out) << call.front();
    EXPECT_EQ(without.err, told + with.err) << call.front();
  }
  const ended page = run({"report"});
  EXPECT_EQ(page.status, 0);
  EXPECT_EQ(page.out, "Report: report.html\n");
  EXPECT_EQ(page.err, told);
  EXPECT_TRUE(fs::exists(file("report.html")));
  fs::remove(file("t.mallard"));
  EXPECT_THAT(run({"dims"}).err, HasSubstr("reads a.mallard, the newest trace here"));
}

TEST_F(profile_command_test,
       the_newest_trace_is_the_one_that_record_names_whatever_children_wrote) {
  // The shell goes on after the child that does the work.
  const ended recorded =
      run({"record", "--no-cpu", "-o", "all.trace", "--", "sh", "-c", "sort /etc/passwd; :"});
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  const std::string next = "mallard report ";
  const std::size_t at = recorded.err.rfind(next);
  ASSERT_NE(at, std::string::npos) << recorded.err;
  std::string named = recorded.err.substr(at + next.size());
  named.pop_back();
  EXPECT_NE(named, "all.trace") << "the shell has more events than sort";
  EXPECT_EQ(run({"top"}).err, "mallard: reads " + named + ", the newest trace here\n");
}

TEST_F(profile_command_test, without_a_file_and_without_a_trace_it_is_refused) {
  fs::remove(file("t.mallard"));
  write("budget", "peak <= 10 GB\n");
  for (const words& call : {words{"dims"}, words{"top"}, words{"report"}, words{"advise"},
                            words{"replay"}, words{"check", "--budget", "budget"},
                            words{"cut", "-o", "x"}, words{"export", "--to", "csv", "-o", "x"}}) {
    expect_refused(call, 2, "no trace is named");
  }
  expect_refused({"export", "-o", "x"}, 2, "export needs a file");
  expect_refused({"advise", "--"}, 2, "no command");
  expect_refused({"check", "--budget", "budget", "--"}, 2, "no command");
  EXPECT_FALSE(fs::exists(file("x")));
}

// A trace whose reading takes a while.
void write_large_trace(const fs::path& file) {
  profile::trace_writer large(file.string(), {});
  const std::uint32_t stack = large.stack(0, {.ip = 1, .frame_address = 1});
  std::vector<profile::event> some(1 << 16, {.address = 64, .size = 1, .stack = stack});
  for (std::size_t i = 1; i < some.size(); i += 2) some[i].kind = profile::event_kind::free;
  for (int i = 0; i < 30; ++i) large.events(0, some);
  ASSERT_TRUE(large.finish());
}

TEST_F(profile_command_test, an_interrupt_ends_each_reader_with_the_status_of_one) {
  write_large_trace(file("large"));
  write("budget", "peak <= 1 GiB\n");
  for (const words& call :
       {words{"dims", "large"}, words{"top", "large"}, words{"diff", "large", "large"},
        words{"report", "large", "-o", "page.html"}, words{"advise", "large"},
        words{"export", "large", "--to", "csv", "-o", "part"},
        words{"cut", "large", "--from", "0ns", "-o", "part"}, words{"replay", "large"},
        words{"check", "large", "--budget", "budget"}}) {
    const pid_t child = start(call);
    usleep(20000);
    kill(child, SIGINT);
    const ended result = finish(child);
    EXPECT_EQ(result.status, 128 + SIGINT) << call.front() << result.err;
  }
  EXPECT_FALSE(fs::exists(file("page.html")) || fs::exists(file("part")));
}

TEST_F(profile_command_test, an_interrupt_leaves_no_part_of_a_file) {
  write_large_trace(file("large"));
  for (const words& command : {words{"export", "--to", "csv"}, words{"export", "--to", "sqlite"},
                               words{"cut", "--from", "0ns"}}) {
    const pid_t child = start(command + words{"large", "-o", "new"});
    const fs::path part = file("new." + std::to_string(child) + ".tmp");
    while (!fs::exists(part)) usleep(1000);
    kill(child, SIGINT);
    EXPECT_EQ(finish(child).status, 128 + SIGINT) << command.front();
    EXPECT_FALSE(fs::exists(part) || fs::exists(file("new"))) << command.front();
  }
}

TEST_F(profile_command_test, what_lived_at_the_peak_adds_up_to_the_peak_everywhere) {
  const auto dims = nlohmann::json::parse(run({"dims", "t.mallard", "--json"}).out);
  const auto peak = dims["total"]["peak_bytes"].get<std::uint64_t>();
  const auto top = nlohmann::json::parse(run({"top", "t.mallard", "--sort", "peak", "--json"}).out);
  std::uint64_t listed = 0, before = UINT64_MAX;
  for (const auto& place : top["places"]) {
    const auto bytes = place["peak_bytes"].get<std::uint64_t>();
    EXPECT_LE(bytes, before);
    listed += before = bytes;
  }
  EXPECT_EQ(listed, peak);
  ASSERT_EQ(
      run({"export", "t.mallard", "--to", "collapsed", "--weight", "peak_space", "-o", "c"}).status,
      0);
  std::istringstream lines(read_file(file("c")));
  std::uint64_t exported = 0;
  for (std::string line; std::getline(lines, line);) {
    exported += std::stoull(line.substr(line.rfind(' ') + 1));
  }
  EXPECT_EQ(exported, peak);
}

TEST_F(profile_command_test, blocks_without_a_stack_are_exported_too) {
  ASSERT_EQ(run({"record", "-q", "--sample-stacks", "5", "-o", "few", "--", "sort", "/etc/passwd"})
                .status,
            0);
  const auto dims = nlohmann::json::parse(run({"dims", "few", "--json"}).out);
  const ended lines = run({"export", "few", "--to", "collapsed", "-o", "-"});
  EXPECT_THAT(lines.out, HasSubstr("(no stack) "));
  std::istringstream text(lines.out);
  std::uint64_t exported = 0;
  for (std::string line; std::getline(text, line);) {
    exported += std::stoull(line.substr(line.rfind(' ') + 1));
  }
  EXPECT_EQ(exported, dims["total"]["bytes"]);
  const ended text_of_dims = run({"dims", "few"});
  EXPECT_THAT(text_of_dims.out, HasSubstr("not recorded: most stacks\n"));
  EXPECT_THAT(text_of_dims.out, HasSubstr("not known: it takes the stacks of all operations"));
}

TEST_F(profile_command_test, an_input_is_never_the_output) {
  const std::string before = read_file(file("t.mallard"));
  EXPECT_NE(run({"export", "t.mallard", "--to", "csv", "--force", "-o", "t.mallard"}).status, 0);
  EXPECT_NE(run({"report", "t.mallard", "--force", "-o", "t.mallard"}).status, 0);
  EXPECT_NE(run({"cut", "t.mallard", "--from", "1s", "--force", "-o", "t.mallard"}).status, 0);
  EXPECT_EQ(read_file(file("t.mallard")), before);
}

TEST_F(profile_command_test, a_link_is_written_where_it_leads) {
  fs::create_symlink("/proc/self/fd/1", file("out"));
  const ended collapsed = run({"export", "t.mallard", "--to", "collapsed", "-o", "out"});
  EXPECT_EQ(collapsed.out, run({"export", "t.mallard", "--to", "collapsed", "-o", "-"}).out);
  expect_refused({"report", "t.mallard", "-o", "out"}, 2, "a page needs a file");
  expect_refused({"diff", "t.mallard", "t.mallard", "-o", "out"}, 2, "a page needs a file");
  EXPECT_TRUE(fs::is_symlink(file("out")));
  fs::create_symlink("page.html", file("link"));
  EXPECT_EQ(run({"report", "t.mallard", "-o", "link"}).status, 0);
  EXPECT_TRUE(fs::is_symlink(file("link")) && fs::file_size(file("page.html")) > 0);
}

TEST_F(profile_command_test, a_database_replaces_no_pipe_and_no_folder) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  fs::create_directory(file("folder"));
  for (const char* name : {"pipe", "folder"}) {
    expect_refused({"export", "t.mallard", "--to", "sqlite", "-o", name}, 1, "not a regular file");
  }
  EXPECT_TRUE(fs::is_fifo(file("pipe")) && fs::is_directory(file("folder")));
}

TEST_F(profile_command_test, a_file_after_an_option_of_one_word_is_the_file) {
  const ended after = run({"dims", "--csv", "--subsystem", "x=main", "t.mallard"});
  EXPECT_EQ(after.status, 0) << after.err;
  EXPECT_EQ(after.out, run({"dims", "t.mallard", "--csv", "--subsystem", "x=main"}).out);
}

TEST_F(profile_command_test, a_file_that_is_there_is_replaced_only_when_asked) {
  const std::string kept = "of the user's own";
  for (words command : {words{"export", "t.mallard", "--to", "csv"}, words{"report", "t.mallard"},
                        words{"cut", "t.mallard", "--from", "0ns"},
                        words{"record", "-q", "--no-cpu", "sort", "/etc/passwd"},
                        words{"whatif", "--malloc", "glibc", "sort", "/etc/passwd"},
                        words{"advise", "--no-try", "t.mallard"}}) {
    std::ofstream(file("kept")) << kept;
    const bool is_whatif = command.front() == "whatif";
    words asked = command;
    asked.insert(asked.begin() + 1, {is_whatif ? "--json" : "-o", "kept"});
    expect_refused(asked, 2, "kept: exists already (--force replaces it)");
    EXPECT_EQ(read_file(file("kept")), kept) << command.front();
    if (is_whatif || command.front() == "advise") continue;  // takes its time
    asked.insert(asked.begin() + 1, "--force");
    EXPECT_EQ(run(asked).status, 0) << command.front();
    EXPECT_NE(read_file(file("kept")), kept) << command.front();
  }
}

TEST_F(profile_command_test, a_name_that_nobody_gave_replaces_pages_alone) {
  write("report.html", "of the user's own");
  write("advice.html", "of the user's own");
  expect_refused({"report", "t.mallard"}, 2, "report.html: exists already (--force replaces it)");
  expect_refused({"advise", "--once", "--", "sort"}, 2, "advice.html: exists already");
  EXPECT_EQ(run({"report", "t.mallard", "--force"}).status, 0);
  const auto page = fs::file_size(file("report.html"));
  EXPECT_GT(page, 1000U);
  fs::resize_file(file("report.html"), 2000);
  EXPECT_EQ(run({"report", "t.mallard"}).status, 0);
  EXPECT_EQ(fs::file_size(file("report.html")), page);
}

TEST_F(profile_command_test, files_that_are_no_traces_are_named) {
  write("text", "hello\n");
  for (const char* verb : {"dims", "top"}) {
    expect_refused({verb, "text"}, 1, "text: ");
    expect_refused({verb, "nothing"}, 1, "nothing: ");
  }
  expect_refused({"import", "text", "-o", "x"}, 1, "text: is not a file of heaptrack");
  expect_refused({"report", "t.mallard", "t.mallard", "-o", "x"}, 2, "or one trace");
  EXPECT_FALSE(fs::exists(file("x")));
}

TEST_F(profile_command_test, a_truncated_trace_gives_what_is_readable) {
  const std::string whole = read_file(file("t.mallard"));
  write("part", whole.substr(0, whole.size() * 3 / 4));
  const ended result = run({"dims", "part", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err, "");
  EXPECT_EQ(nlohmann::json::parse(result.out)["total"]["bytes"], dims()["total"]["bytes"]);
  EXPECT_EQ(run({"report", "part", "-o", "part.html"}).status, 0);
}

}  // namespace
