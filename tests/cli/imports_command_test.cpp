// Other tools' files in the commands that read traces.
#include <nlohmann/json.hpp>

#include "command_fixture.hpp"
#include "support/commands.hpp"

namespace mallard {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class imports_command_test : public command_test {
 protected:
  nlohmann::json json_of(const words& command) const {
    return nlohmann::json::parse(run(command).out);
  }
};

const std::string dhat = R"json({"dhatFileVersion":2,"mode":"heap","cmd":"prog","pps":[
  {"tb":2048,"tbk":2,"gb":1024,"gbk":1,"eb":32,"ebk":1,"fs":[0,1]}],
  "ftbl":["0x50: makes (a.c:9)","0x60: ??? (in /lib/liba.so.1)"]
})json";
const std::string heaptrack =
    "v 10400 3\nX prog --fast\nI 1000 5e29\n"
    "s 4 prog\ns 4 main\ns 5 a.cpp\ns 4 make\n"
    "i 401000 1 4 3 9 2 3 7\nt 1 0\na 20 1\n"
    "+ 0\nc a\n+ 0\n- 0\nR 10\n";

TEST_F(imports_command_test, sums_of_dhat_are_listed_compared_exported_and_drawn) {
  write("d", dhat);
  const ended top = run({"top", "d"});
  EXPECT_EQ(top.status, 0) << top.err;
  EXPECT_THAT(top.out, HasSubstr("makes"));
  EXPECT_THAT(top.out, HasSubstr("2 KiB"));
  EXPECT_THAT(top.out, HasSubstr("1 KiB"));
  EXPECT_THAT(run({"dims", "d"}).out, HasSubstr("at most 1 KiB live at once"));
  EXPECT_THAT(run({"diff", "d", "d"}).out, HasSubstr("no function allocates more or less"));
  EXPECT_EQ(run({"report", "d", "-o", "d.html"}).status, 0);
  EXPECT_THAT(read_file(file("d.html")), HasSubstr("??? (liba.so.1)"));
  EXPECT_EQ(run({"export", "d", "--to", "collapsed", "--weight", "peak_space", "-o", "c"}).status,
            0);
  EXPECT_EQ(read_file(file("c")), "??? (liba.so.1);makes 1024\n");
  for (const words& other : {words{"check", "d", "--budget", "b"}, words{"cut", "d", "-o", "x"}}) {
    write("b", "peak <= 1 GiB\n");
    expect_refused(other, 1, "d: has sums by stack, not operations");
  }
}

TEST_F(imports_command_test, figures_that_a_profile_lacks_are_not_printed) {
  write("p",
        "heap profile: 3: 300 [ 3: 300] @ heapprofile\n 3: 300 [ 3: 300] @ 0x400000\n"
        "MAPPED_LIBRARIES:\n");
  const std::string dims = run({"dims", "p"}).out, top = run({"top", "p"}).out;
  EXPECT_THAT(dims, HasSubstr("\n3 allocations, 0 frees, 300 B\n3 blocks (300 B) not freed\n"));
  EXPECT_THAT(top, MatchesRegex("(.|\n)*\n +- +300 B +3 +300 B +- .*\n"));
  write("q",
        "heap profile: 4: 400 [ 4: 400] @ heapprofile\n 4: 400 [ 4: 400] @ 0x400000\n"
        "MAPPED_LIBRARIES:\n");
  const ended diff = run({"diff", "p", "q"});
  EXPECT_THAT(diff.out, Not(HasSubstr("at most live")));
  EXPECT_THAT(diff.out, Not(HasSubstr("\n  temporary")));
  EXPECT_THAT(diff.out, MatchesRegex("(.|\n)*\n +- +\\+100 B +\\+1 +\\+100 B +- .*\n"));
  EXPECT_EQ(diff.err, "mallard: no figures to sort by 'peak'\n");
}

TEST_F(imports_command_test, places_without_any_of_the_measure_are_not_listed) {
  write("d", R"json({"dhatFileVersion":2,"mode":"heap","cmd":"prog","pps":[
    {"tb":64,"tbk":2,"gb":48,"gbk":1,"eb":32,"ebk":1,"fs":[0]},
    {"tb":64,"tbk":2,"gb":48,"gbk":1,"eb":0,"ebk":0,"fs":[1]}],
    "ftbl":["0x40: leaks (a.c:9)","0x50: frees (a.c:19)"]})json");
  EXPECT_THAT(run({"top", "d"}).out, HasSubstr("frees"));
  EXPECT_THAT(run({"top", "d", "--sort", "leaked"}).out,
              testing::AllOf(HasSubstr("leaks"), Not(HasSubstr("frees"))));
  const ended not_known = run({"top", "d", "--sort", "temporary"});
  EXPECT_THAT(not_known.out, HasSubstr("frees"));
  EXPECT_EQ(not_known.err, "mallard: d: has no figures to sort by 'temporary'\n");
}

TEST_F(imports_command_test, a_recording_counts_what_valgrind_counts) {
  if (!mallard_test::is_installed("valgrind")) GTEST_SKIP() << "valgrind is not installed";
  for (const words& program : {words{PLANTED_PROGRAM, "sizes"}, words{PLANTED_PROGRAM, "rounds"},
                               words{PLANTED_PROGRAM, "relay"}, words{HIDDEN_CALLS_PROGRAM}}) {
    const std::string line = program.front() + (program.size() > 1 ? ' ' + program[1] : "");
    ASSERT_EQ(shell("valgrind -q --tool=dhat --dhat-out-file=d " + line).status, 0) << line;
    ASSERT_EQ(run(words{"record", "-q", "--force", "-o", "r", "--"} + program).status, 0) << line;
    const auto wanted = json_of({"dims", "d", "--json"}), found = json_of({"dims", "r", "--json"});
    EXPECT_GT(wanted["total"]["allocations"], 100) << line;
    for (const char* const one : {"allocations", "bytes", "peak_bytes"}) {
      EXPECT_EQ(found["total"][one], wanted["total"][one]) << line << ' ' << one;
    }
  }
}

TEST_F(imports_command_test, what_takes_the_stacks_of_frees_is_not_known_of_heaptracks_files) {
  write("h", heaptrack);
  write("b", "survivors of main <= 100\n");
  EXPECT_THAT(run({"check", "h", "--budget", "b"}).out, HasSubstr("the recording lacks stacks"));
  EXPECT_THAT(run({"advise", "h", "--quick"}).out, Not(HasSubstr("nothing was replayed")));
}

TEST_F(imports_command_test, heaptracks_files_are_read_as_traces) {
  write("h", heaptrack);
  write("b", "peak <= 1 GiB\n");
  EXPECT_EQ(json_of({"dims", "h", "--json"})["total"]["allocations"], 2);
  EXPECT_EQ(json_of({"top", "h", "--json"})["places"][0]["function"], "make");
  EXPECT_EQ(json_of({"diff", "h", "h", "--json"})["before"]["total"]["peak_bytes"], 64);
  EXPECT_EQ(run({"report", "h", "-o", "h.html"}).status, 0);
  EXPECT_EQ(run({"export", "h", "--to", "pprof", "-o", "h.pb"}).status, 0);
  EXPECT_EQ(run({"cut", "h", "-o", "cut"}).status, 0);
  EXPECT_EQ(run({"check", "h", "--budget", "b"}).status, 0);
  const ended replayed =
      run({"replay", "h", "--quick", "--strategies", "AS7", "--mallocs", "none", "--json", "r"});
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_THAT(read_file(file("r")), HasSubstr("\"order\":\"serial\""));
  const ended advised = run({"advise", "h"});
  EXPECT_EQ(advised.status, 0) << advised.err;
}

TEST_F(imports_command_test, a_trace_that_cannot_be_written_leaves_the_file_as_it_was) {
  write("h", heaptrack);
  write("kept", "as it was");
  const std::string command = "import h --force -o kept";
  EXPECT_EQ(shell("trap '' XFSZ; ulimit -f 0; $MALLARD " + command + " >/dev/null 2>&1").status, 1);
  EXPECT_EQ(read_file(file("kept")), "as it was");
  EXPECT_EQ(shell("$MALLARD " + command).status, 0);
  EXPECT_EQ(json_of({"dims", "kept", "--json"})["total"]["allocations"], 2);
}

TEST_F(imports_command_test, lines_that_are_not_understood_are_said_and_fail_the_check) {
  write("h", heaptrack + "+ what\n");
  write("b", "peak <= 1 GiB\n");
  const ended checked = run({"check", "h", "--budget", "b"});
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.err, HasSubstr("h:16: is not understood"));
  EXPECT_THAT(checked.err, HasSubstr("h: is incomplete"));
  const ended dims = run({"dims", "h", "--json"});
  EXPECT_FALSE(nlohmann::json::parse(dims.out)["complete"]);
  EXPECT_THAT(dims.err, HasSubstr("h:16: is not understood"));
}

TEST_F(imports_command_test, a_file_that_is_not_whole_is_imported_and_fails) {
  write("h", heaptrack + "+ what\n");
  const ended broken = run({"import", "h", "-o", "broken"});
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.err, HasSubstr("h:16: is not understood"));
  EXPECT_EQ(json_of({"dims", "broken", "--json"})["total"]["allocations"], 2);
  std::string long_text = heaptrack;
  for (int i = 0; i < 50'000; ++i) long_text += "+ 0\nc " + std::to_string(i) + "\n";
  write("h", long_text);
  ASSERT_EQ(shell("gzip h && truncate -s -1000 h.gz").status, 0);
  const ended cut = run({"import", "h.gz", "-o", "cut"});
  EXPECT_EQ(cut.status, 1);
  EXPECT_THAT(cut.err, HasSubstr("h.gz: ends in the middle"));
  EXPECT_GT(json_of({"dims", "cut", "--json"})["total"]["allocations"], 2);
}

TEST_F(imports_command_test, heap_profiles_of_pprof_are_read_back) {
  write("h", heaptrack);
  ASSERT_EQ(run({"export", "h", "--to", "pprof", "-o", "p"}).status, 0);
  const auto own = json_of({"top", "h", "--json"}), read = json_of({"top", "p", "--json"});
  for (const char* const one : {"bytes", "peak_bytes", "live_bytes"}) {
    EXPECT_EQ(own["places"][0][one], read["places"][0][one]) << one;
  }
  EXPECT_EQ(run({"report", "p", "-o", "p.html"}).status, 0);
  // A profile is read more than once, which no pipe can be.
  const ended piped =
      shell("mkfifo pipe && { cat p >pipe & } && timeout 10 " MALLARD_COMMAND " top pipe");
  EXPECT_THAT(piped.err, HasSubstr("pipe: not a file"));
}

TEST_F(imports_command_test, a_difference_is_a_page_with_a_graph_of_each) {
  write("h", heaptrack);
  write("g", heaptrack + "+ 0\n+ 0\n");
  const ended done = run({"diff", "h", "g", "-o", "d.html"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("make"));
  const std::string page = read_file(file("d.html"));
  EXPECT_THAT(page, HasSubstr("\"difference\":{\"version\":2"));
  EXPECT_THAT(page, HasSubstr("\"flames\":{\"before\":"));
  expect_refused({"diff", "h", "g", "-o", "h"}, 2, "h");
}

}  // namespace
}  // namespace mallard
