// mallard diff and mallard check, as a user and a job of continuous integration call them.

#include <nlohmann/json.hpp>

#include "cli/command_fixture.hpp"
#include "profile/trace_script.hpp"

namespace {

using namespace mallard;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class check_command_test : public command_test {
 protected:
};

TEST_F(check_command_test, a_program_within_its_budget_says_nothing) {
  write("b", "allocations <= 1000000\npeak <= 1 GiB\n");
  const ended kept = run({"check", "--budget", "b", "--", "sort", "/dev/null"});
  EXPECT_EQ(kept.status, 0);
  EXPECT_EQ(kept.out + kept.err, "");
}

TEST_F(check_command_test, a_breach_is_a_line_and_a_status) {
  write("b", "# sort allocates\nallocations <= 1000000\nallocations <= 0\npeak <= 1 B\n");
  const ended broken = run({"check", "--budget", "b", "--", "sort", "/dev/null"});
  EXPECT_EQ(broken.status, 1);
  EXPECT_EQ(std::count(broken.out.begin(), broken.out.end(), '\n'), 2);
  EXPECT_THAT(broken.out, StartsWith("b:3: allocations <= 0: it is "));
  EXPECT_THAT(broken.out, HasSubstr("\nb:4: peak <= 1 B: it is "));
}

TEST_F(check_command_test, a_breach_by_little_is_told_to_the_byte) {
  record("t", {"sort", "/etc/passwd"});
  const nlohmann::json dims = nlohmann::json::parse(run({"dims", "t", "--json"}).out);
  const auto bytes = dims["total"]["bytes"].get<std::uint64_t>();
  ASSERT_GT(bytes, 10'000u);
  write("b", "bytes <= " + std::to_string(bytes - 1) + "\n");
  EXPECT_THAT(run({"check", "t", "--budget", "b"}).out,
              HasSubstr("it is " + std::to_string(bytes) + " bytes, most of it from"));
}

TEST_F(check_command_test, a_folder_for_temporary_files_that_is_not_there_is_named) {
  write("b", "allocations <= 1\n");
  setenv("TMPDIR", "/nonexistent", 1);
  expect_refused({"check", "--budget", "b", "--", "touch", "ran"}, 1,
                 "/nonexistent: is not a folder for temporary files (No such file or directory): "
                 "set TMPDIR to an existing folder");
  unsetenv("TMPDIR");
  EXPECT_FALSE(fs::exists(file("ran")));
}

TEST_F(check_command_test, a_budget_may_come_through_a_pipe) {
  const auto through_a_pipe = [&](const words& options, const words& of) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const std::string text = "allocations <= 0\n";
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(ends[1]);
    const ended result =
        run(words{"check", "--budget", "/dev/fd/" + std::to_string(ends[0])} + options + of);
    close(ends[0]);
    return result;
  };
  record("t", {"sort", "/dev/null"});
  for (const words& of : {words{"t"}, words{"--", "sort", "/dev/null"}}) {
    const ended broken = through_a_pipe({}, of);
    EXPECT_EQ(broken.status, 1);
    EXPECT_THAT(broken.out, HasSubstr(":1: allocations <= 0: it is ")) << broken.err;
    const ended refused = through_a_pipe({"--update"}, of);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("--update: "));
  }
}

#if defined(__x86_64__)
class calls_of_handlers : public check_command_test {
 protected:
  void SetUp() override { record("t", {HANDLERS_PROGRAM}); }
  nlohmann::json checked(const std::string& of, const std::string& limit) const {
    write("b", "allocations per call of " + of + " <= " + limit + "\n");
    return nlohmann::json::parse(run({"check", "t", "--budget", "b", "--json"}).out)["rules"][0];
  }
};

TEST_F(calls_of_handlers, are_told_apart_by_the_machine_code) {
  for (const std::string handler : {"with_cache", "with_parts"}) {
    const std::string truth = checked("^" + handler + "$", "1000000")["found"].dump();
    const nlohmann::json kept = checked("handle_" + handler, truth);
    EXPECT_EQ(kept["found"].dump(), truth) << handler;
    EXPECT_TRUE(kept["kept"]) << handler;
  }
}

TEST_F(calls_of_handlers, that_may_be_loops_have_no_figure) {
  const std::string truth = checked("^in_loop$", "1000000")["found"].dump();
  const nlohmann::json one = checked("handle_in_loop", truth);
  EXPECT_FALSE(one["kept"]);
  EXPECT_EQ(one["found"], nullptr);
  EXPECT_LE(one["unclear"]["least"].get<int>(), std::stoi(truth));
  EXPECT_GE(one["unclear"]["most"].get<int>(), std::stoi(truth));
  const ended told = run({"check", "t", "--budget", "b"});
  EXPECT_THAT(told.out, HasSubstr("its calls cannot be told apart: one takes at least "));
  EXPECT_THAT(told.out, HasSubstr("; MALLARD_SCOPE in the source tells them apart\n"));
}

// Where code can be left and entered in other ways, a figure is a bound, or none is given.
TEST_F(calls_of_handlers, that_are_partly_hidden_have_no_wrong_figure) {
  for (const bool throws : {false, true}) {
    std::vector<std::string> command = {"record", "--force", "-o", "t", "--", HIDDEN_CALLS_PROGRAM};
    if (throws) command.push_back("throws");
    std::istringstream truths(run(command).out);
    std::string function;
    int truth = 0, told = 0;
    for (; truths >> function >> truth; ++told) {
      const nlohmann::json one = checked(function, std::to_string(truth - 1));
      EXPECT_FALSE(one["kept"]) << one;
      if (one["found"].is_number() && one.value("exact", true)) {
        EXPECT_EQ(one["found"], truth) << one;
      } else if (one["found"].is_number()) {
        EXPECT_LE(one["found"], truth) << one;
      } else if (one.contains("unclear")) {
        EXPECT_LE(one["unclear"]["least"], truth) << one;
        EXPECT_GE(one["unclear"]["most"].get<std::uint64_t>(), std::uint64_t(truth)) << one;
      }
    }
    EXPECT_GE(told, 4);
  }
}
#endif

TEST_F(check_command_test, a_function_on_no_stack_allocates_nothing_if_the_program_has_it) {
  record("t", {HIDDEN_CALLS_PROGRAM});
  write("b",
        "none in allocates_nothing\nallocations per call of allocates_nothing <= 0\n"
        "survivors of allocates_nothing <= 0\npeak in allocates_nothing <= 0\n");
  const ended kept = run({"check", "t", "--budget", "b"});
  EXPECT_EQ(kept.status, 0) << kept.out << kept.err;
  write("b", "none in allocates_nothing_more\n");
  EXPECT_EQ(run({"check", "t", "--budget", "b"}).out,
            "b:1: none in allocates_nothing_more: there is no such function\n");
}

// Its blocks would be those of the function that it is inlined into.
TEST_F(check_command_test, a_function_on_no_stack_is_not_trusted_without_debug_information) {
  record("t", {HANDLERS_PROGRAM});
  write("b", "none in allocates_nothing\n");
  const ended broken = run({"check", "t", "--budget", "b"});
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.out, HasSubstr("it is on no stack, but may be inlined there: " +
                                    std::string(HANDLERS_PROGRAM) + " has it"));
}

TEST_F(check_command_test, update_lowers_the_limits_that_are_kept_and_nothing_else) {
  record("t", {"sort", "/dev/null"});
  write("real", "# sort\nallocations <= 1000000 +5 %\n\npeak <= 1 B\nleaked <= 1 GiB\n");
  std::filesystem::create_symlink("real", file("b"));
  EXPECT_EQ(run({"check", "t", "--budget", "b"}).status, 1);
  const ended updated = run({"check", "t", "--budget", "b", "--update"});
  EXPECT_EQ(updated.status, 1);
  EXPECT_THAT(updated.err, HasSubstr("b: 2 rules are tighter now"));
  const auto total = nlohmann::json::parse(run({"dims", "t", "--json"}).out)["total"];
  EXPECT_THAT(read_file(file("real")),
              StartsWith("# sort\nallocations <= " +
                         std::to_string(total["allocations"].get<std::uint64_t>() +
                                        total["reallocations"].get<std::uint64_t>()) +
                         " +5 %\n\npeak <= 1 B\nleaked <= "));
  EXPECT_THAT(run({"check", "t", "--budget", "b", "--update"}).err, HasSubstr("b: 0 rules"));
}

TEST_F(check_command_test, update_keeps_limits_if_the_program_did_not_end_well) {
  const std::string rules = "peak <= 1 GiB\n";
  write("b", rules);
  for (const char* end : {"exit 1", "kill -9 $$"}) {
    EXPECT_NE(run({"check", "--budget", "b", "--update", "--", "sh", "-c", end}).status, 0);
    EXPECT_EQ(read_file(file("b")), rules) << end;
  }
  EXPECT_EQ(run({"check", "--budget", "b", "--update", "--", "sh", "-c", "exit 0"}).status, 0);
  EXPECT_NE(read_file(file("b")), rules);
}

TEST_F(check_command_test, update_keeps_the_ends_of_lines) {
  write("b", "peak <= 1 GiB\r\nallocations <= 1000000");
  EXPECT_EQ(run({"check", "--budget", "b", "--update", "--", "sort", "/dev/null"}).status, 0);
  const std::string after = read_file(file("b"));
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 1);
  EXPECT_THAT(after, HasSubstr("\r\nallocations <= "));
  EXPECT_FALSE(after.ends_with('\n'));
}

TEST_F(check_command_test, a_program_that_allocates_nothing_keeps_its_budget) {
  write("b", "none in ^main$\npeak <= 0\n");
  EXPECT_EQ(run({"check", "--budget", "b", "--", IDLE_PROGRAM}).status, 0);
  write("b", "none in ^mian$\n");
  const ended mistyped = run({"check", "--budget", "b", "--", IDLE_PROGRAM});
  EXPECT_EQ(mistyped.status, 1);
  EXPECT_THAT(mistyped.out, HasSubstr("there is no such function"));
}

TEST_F(check_command_test, replaces_no_file_unless_forced) {
  write("b", "peak <= 1 GiB\n");
  expect_refused({"check", "--budget", "b", "--keep", "b", "--", "sort", "/dev/null"}, 2,
                 "b: exists already");
  record("t", {"sort", "/dev/null"});
  expect_refused({"diff", "t", "t", "--collapsed", "b"}, 2, "b: exists already");
  EXPECT_EQ(read_file(file("b")), "peak <= 1 GiB\n");
  EXPECT_EQ(
      run({"check", "--budget", "b", "--keep", "t", "--force", "--", "sort", "/dev/null"}).status,
      0);
}

TEST_F(check_command_test, a_trace_is_checked_as_its_program_was) {
  record("t", {"sort", "/dev/null"});
  write("b", "allocations <= 0\n");
  EXPECT_EQ(run({"check", "t", "--budget", "b"}).status, 1);
  const ended as_json = run({"check", "t", "--budget", "b", "--json"});
  EXPECT_EQ(as_json.status, 1);
  const auto found = nlohmann::json::parse(as_json.out);
  const auto total = nlohmann::json::parse(run({"dims", "t", "--json"}).out)["total"];
  EXPECT_FALSE(found["kept"]);
  EXPECT_EQ(
      found["rules"][0]["found"].get<std::uint64_t>(),
      total["allocations"].get<std::uint64_t>() + total["reallocations"].get<std::uint64_t>());
}

TEST_F(check_command_test, annotations_are_those_of_workflows) {
  write("b%", "allocations <= 0\n");
  const ended broken =
      run({"check", "--budget", "b%", "--format", "github", "--", "sort", "/dev/null"});
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.out,
              StartsWith("::error file=b%25,line=1,title=heap budget%3A allocations <= 0::b%25:1"));
  fs::create_directory(file("sub"));
  write("sub/b", "allocations <= 0\n");
  EXPECT_THAT(
      run({"check", "--budget", "sub/../sub/b", "--format", "github", "--", "sort", "/dev/null"})
          .out,
      StartsWith("::error file=sub/b,line=1,"));
}

TEST_F(check_command_test, the_programs_own_failure_is_told_by_its_status) {
  write("b", "peak <= 1 GiB\n");
  EXPECT_EQ(run({"check", "--budget", "b", "--", "sh", "-c", "exit 7"}).status, 7);
  const ended killed = run({"check", "--budget", "b", "--", "sh", "-c", "kill -9 $$"});
  EXPECT_EQ(killed.status, 137);
  EXPECT_THAT(killed.err, HasSubstr("killed by signal 9"));
}

TEST_F(check_command_test, an_interrupt_reaches_the_program_and_nothing_is_passed_by_it) {
  write_script("script", "trap 'exit 0' INT TERM HUP\n: >started\nwhile :; do sleep 0.05; done\n");
  write("heap.budget", "allocations <= 1000000\n");
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
    fs::remove(file("started"));
    const ended result =
        interrupt({"check", "--budget", "heap.budget", "--", "./script"}, "started", each);
    EXPECT_EQ(result.status, 130) << each;
    EXPECT_THAT(result.err, HasSubstr("interrupted"));
  }
}

TEST_F(check_command_test, an_interrupt_also_ends_what_the_program_started) {
  write_program_below_a_script();
  write("b", "allocations <= 1000000\n");
  for (const int each : {SIGHUP, SIGTERM}) {
    fs::remove(file("pid"));
    const ended result = interrupt({"check", "--budget", "b", "--", "./script"}, "pid", each);
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_FALSE(runs("pid"));
  }
}

TEST_F(check_command_test, a_trace_that_finds_no_room_is_not_kept) {
  if (shell("mkdir d && mount -t tmpfs -o size=64k mallard d").status != 0) GTEST_SKIP();
  write("b", "allocations <= 1000000\n");
  const ended full = shell(
      "$MALLARD check --budget b --keep d/a.trace -- "
      "bash -c 'for i in {1..9000}; do a[$i]=x$i; done'");
  EXPECT_TRUE(fs::is_empty(file("d")));
  EXPECT_EQ(shell("umount d").status, 0);
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(full.err, HasSubstr("d/a.trace: cannot be written: No space left on device\n"));
}

TEST_F(check_command_test, no_command_writes_over_the_program_or_the_trace_that_it_reads) {
  write_script("own", "true\n");
  const std::string text = read_file(file("own"));
  for (const words& call :
       {words{"record", "-o", "own"}, words{"live", "-o", "own"},
        words{"check", "--budget", "b", "--keep", "own"}, words{"advise", "--keep", "own"},
        words{"whatif", "--malloc", "all", "--json", "own"}}) {
    expect_refused(call + words{"--force", "--", "./own", "own"}, 2, "own: is the input");
  }
  EXPECT_EQ(shell("PATH=.:$PATH $MALLARD record --force -o own -- own").status, 2);
  EXPECT_EQ(shell("$MALLARD record --force -o own -- true <own").status, 2);
  EXPECT_EQ(read_file(file("own")), text);
  write("argument", text);
  EXPECT_EQ(run({"record", "--force", "-o", "argument", "--", "ls", "argument"}).status, 0);
  EXPECT_EQ(run({"record", "--force", "-o", "argument", "--", "argument"}).status, 2);
  write("ls", text);
  EXPECT_EQ(run({"record", "--force", "-o", "ls", "--", "ls"}).status, 0);
  record("t", {"sort", "/dev/null"});
  expect_refused({"replay", "--force", "--json", "t", "t"}, 2, "t: is the input");
}

TEST_F(check_command_test, the_budget_is_not_overwritten_by_the_trace) {
  write("b", "allocations <= 1000000\n");
  expect_refused({"check", "--budget", "b", "--keep", "b", "--force", "--", "true"}, 2,
                 "b: is the input");
  EXPECT_EQ(read_file(file("b")), "allocations <= 1000000\n");
}

TEST_F(check_command_test, says_that_there_is_no_room_for_a_trace) {
  if (shell("mkdir d && mount -t tmpfs -o size=64k mallard d").status != 0) GTEST_SKIP();
  shell("head -c 1M /dev/zero >d/fill");
  write("heap.budget", "allocations <= 1000000\n");
  const ended full =
      shell("TMPDIR=d $MALLARD check --budget heap.budget -- sort /etc/passwd >/dev/null");
  EXPECT_EQ(shell("umount d").status, 0);
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(full.err, HasSubstr("No space left on device): set TMPDIR to another folder"));
  EXPECT_EQ(std::count(full.err.begin(), full.err.end(), '\n'), 1) << full.err;
}

TEST_F(check_command_test, a_trace_that_cannot_be_kept_is_named) {
  write("heap.budget", "allocations <= 1000000\n");
  expect_refused(
      {"check", "--budget", "heap.budget", "--keep", "none/a.trace", "--", "sort", "/dev/null"}, 1,
      "none/a.trace: cannot be written: No such file or directory");
}

TEST_F(check_command_test, the_peaks_place_is_where_most_lived_then) {
  profile::trace_script script(file("t").string());
  script.call("main", 1, [&] {
    script.call("keeps", 2, [&] { script.allocate(3, 5000); });
    for (int i = 0; i < 100; ++i) {
      script.call("passes", 4, [&] { script.free(6, script.allocate(5, 1000)); });
    }
  });
  script.finish();
  write("b", "peak <= 1 B\nbytes <= 1 B\n");
  const ended broken = run({"check", "t", "--budget", "b"});
  EXPECT_THAT(broken.out, HasSubstr("b:1: peak <= 1 B: it is 5.86 KiB, most of it from keeps"));
  EXPECT_THAT(broken.out, HasSubstr("most of it from passes"));
}

TEST_F(check_command_test, bad_input_is_one_line) {
  write("b", "peak <= 1 GiB\n");
  write("wrong", "peak <= lots\n");
  write("text", "no trace");
  write("empty", "");
  expect_refused({"check", "--budget", "nothing", "--", "sort", "/dev/null"}, 2,
                 "nothing: No such file or directory");
  expect_refused({"check", "--budget", "wrong", "--", "sort", "/dev/null"}, 2, "wrong:1: 'lots'");
  expect_refused({"check", "--budget", "b", "--", "./nothing"}, 2, "./nothing: no such program");
  expect_refused({"check", "text", "--budget", "b"}, 1, "text: ");
  expect_refused({"check", "empty", "--budget", "b"}, 1, "empty: ");
  expect_refused({"check", "a", "b", "--budget", "b"}, 2, "after --");
  expect_refused({"check", "text"}, 2, "--budget is required");
  expect_refused({"check", "text", "--budget", "b", "--format", "xml"}, 2, "--format");
}

TEST_F(check_command_test, a_trace_without_stacks_knows_of_no_functions) {
  ASSERT_EQ(run({"record", "--sample-stacks", "0", "--no-cpu", "-q", "-o", "t", "--", "sort",
                 "/dev/null"})
                .status,
            0);
  write("b", "allocations in main <= 1\n");
  expect_refused({"check", "t", "--budget", "b"}, 1, "t: has no stacks");
  write("b", "peak <= 1 GiB\n");
  EXPECT_EQ(run({"check", "t", "--budget", "b"}).status, 0);
}

TEST_F(check_command_test, of_a_part_that_ends_before_its_program_no_leaks_are_known) {
  record("t", {"sort", "/etc/passwd"});
  ASSERT_EQ(run({"cut", "t", "--to", "0", "-o", "nothing"}).status, 2);
  ASSERT_EQ(run({"cut", "t", "--to", "1us", "-o", "part"}).status, 0);
  EXPECT_THAT(run({"dims", "part"}).out, HasSubstr("not recorded: the end\n"));
  write("b", "leaks <= 0\n");
  expect_refused({"check", "part", "--budget", "b"}, 1, "part: ends before its program does");
  ASSERT_EQ(run({"record", "-q", "--duration", "0.2", "-o", "cut", "--", "sh", "-c",
                 "test -e / && sleep 1; exit 0"})
                .status,
            0);
  EXPECT_THAT(run({"dims", "cut"}).out, HasSubstr("not recorded: the end\n"));
  write("b", "peak <= 1 GiB\n");
  EXPECT_EQ(run({"check", "part", "--budget", "b"}).status, 0);
  EXPECT_THAT(run({"dims", "t"}).out, Not(HasSubstr("not recorded: the end")));
}

TEST_F(check_command_test, of_some_threads_no_leaks_are_known) {
  record("t", {"sort", "/etc/passwd"});
  ASSERT_EQ(run({"cut", "t", "--threads", "0", "-o", "part"}).status, 0);
  write("b", "leaks <= 100000\n");
  EXPECT_EQ(run({"check", "part", "--budget", "b"}).status, 0);
  record("two", {PLANTED_PROGRAM, "threads_one_by_one"});
  ASSERT_EQ(run({"cut", "two", "--threads", "0", "-o", "one"}).status, 0);
  expect_refused({"check", "one", "--budget", "b"}, 1, "one: has only some of the threads");
}

TEST_F(check_command_test, an_update_leaves_other_files_alone) {
  record("t", {"sort", "/etc/passwd"});
  write("b", "peak <= 1 GiB\n");
  write("b.new", "of the user");
  EXPECT_EQ(run({"check", "t", "--budget", "b", "--update"}).status, 0);
  EXPECT_EQ(read_file(file("b.new")), "of the user");
}

// Nothing but the place where the system starts it tells where its stacks begin.
TEST_F(check_command_test, calls_are_told_apart_in_a_stripped_program) {
  ASSERT_EQ(shell("strip -o stripped " PLANTED_PROGRAM).status, 0);
  record("t", {file("stripped").string(), "rounds"});
  const nlohmann::json dims = nlohmann::json::parse(run({"dims", "t", "--json"}).out);
  for (const nlohmann::json& one : dims.at("arena_scopes")) {
    EXPECT_GT(one.at("invocations"), 100) << one;
  }
  EXPECT_FALSE(dims.at("arena_scopes").empty());
}

TEST_F(check_command_test, a_trace_that_is_not_whole_keeps_to_nothing) {
  record("t", {"sort", "/etc/passwd"});
  fs::resize_file(file("t"), fs::file_size(file("t")) * 3 / 4);
  write("b", "peak <= 1 GiB\n");
  const ended part = run({"check", "t", "--budget", "b"});
  EXPECT_EQ(part.status, 1);
  EXPECT_THAT(part.err, HasSubstr("t: is incomplete"));
}

// One bit in the largest chunk, which is that of the events.
TEST_F(check_command_test, a_trace_whose_events_are_damaged_is_not_whole_for_anybody) {
  record("t", {"sort", "/etc/passwd"});
  std::string bytes = read_file(file("t"));
  constexpr std::size_t header = 40;
  bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 1);
  ASSERT_GT(bytes.size() / 3, header);
  write("t", bytes);
  write("b", "peak <= 1 GiB\n");
  const ended checked = run({"check", "t", "--budget", "b"});
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.err, HasSubstr("t: is incomplete"));
  const ended dims = run({"dims", "t", "--json"});
  EXPECT_FALSE(nlohmann::json::parse(dims.out)["complete"]);
  const std::string said = "damaged at byte";
  const std::size_t first = dims.err.find(said);
  ASSERT_NE(first, dims.err.npos) << dims.err;
  EXPECT_EQ(dims.err.find(said, first + 1), dims.err.npos) << dims.err;
  for (const words& reader :
       {words{"top", "t"}, words{"diff", "t", "t"}, words{"report", "t", "-o", "page.html"},
        words{"cut", "t", "--from", "0ns", "-o", "part"}, words{"advise", "t"},
        words{"replay", "t", "--quick", "--strategies", "AS7", "--mallocs", "none", "--touch",
              "none", "--json", "r.jsonl"}}) {
    EXPECT_THAT(run(reader).err, HasSubstr(said)) << reader.front();
  }
  for (const char* const to : {"collapsed", "speedscope", "pprof", "perfetto", "csv", "sqlite"}) {
    const ended exported = run({"export", "t", "--to", to, "-o", "x"});
    EXPECT_EQ(exported.status, 1) << to;
    EXPECT_THAT(exported.err, HasSubstr(said)) << to;
    fs::remove(file("x"));
  }
}

TEST_F(check_command_test, diff_of_a_trace_with_itself_is_nothing) {
  record("t", {"sort", "/dev/null"});
  const ended same = run({"diff", "t", "t"});
  EXPECT_EQ(same.status, 0);
  EXPECT_THAT(same.out, HasSubstr("no function allocates more or less"));
  const auto all = nlohmann::json::parse(run({"diff", "t", "t", "--json"}).out);
  EXPECT_GT(all["places"].size(), 0u);
  for (const auto& place : all["places"]) {
    for (const auto& [measure, growth] : place["growth"].items()) EXPECT_EQ(growth, 0) << measure;
  }
}

TEST_F(check_command_test, diff_adds_up_to_what_the_totals_say) {
  write("lines", "c\nb\na\n");
  record("a", {"sort", "/dev/null"});
  record("b", {"sort", "lines", "/etc/passwd"});
  const auto all =
      nlohmann::json::parse(run({"diff", "a", "b", "--json", "--collapsed", "folded"}).out);
  std::int64_t grown = 0;
  for (const auto& place : all["places"]) grown += place["growth"]["bytes"].get<std::int64_t>();
  EXPECT_EQ(grown, all["after"]["total"]["bytes"].get<std::int64_t>() -
                       all["before"]["total"]["bytes"].get<std::int64_t>());
  std::istringstream folded(read_file(file("folded")));
  std::int64_t before = 0, after = 0;
  for (std::string line; std::getline(folded, line);) {
    const std::size_t second = line.rfind(' '), first = line.rfind(' ', second - 1);
    before += std::stoll(line.substr(first, second - first));
    after += std::stoll(line.substr(second));
  }
  EXPECT_EQ(before, all["before"]["total"]["bytes"].get<std::int64_t>());
  EXPECT_EQ(after, all["after"]["total"]["bytes"].get<std::int64_t>());
}

// A table that GitHub and GitLab read: as many cells in each row as in its heading.
TEST_F(check_command_test, diff_writes_tables_in_markdown) {
  write("lines", "c\nb\na\n");
  record("a", {"sort", "/dev/null"});
  record("b", {"sort", "lines", "/etc/passwd"});
  const ended said = run({"diff", "a", "b", "--format", "markdown", "-n", "2"});
  EXPECT_EQ(said.status, 0) << said.err;
  const auto cells = [](const std::string& line) {
    return std::count(line.begin(), line.end(), '|');
  };
  std::ptrdiff_t of_table = 0, rows = 0;
  std::istringstream in(said.out);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with('|')) {
      of_table = 0;
      continue;
    }
    ++rows;
    if (of_table == 0) of_table = cells(line);
    EXPECT_EQ(cells(line), of_table) << line;
  }
  EXPECT_EQ(rows, 2 + 6 + 2 + 2) << said.out;
  EXPECT_THAT(run({"diff", "a", "a", "--format", "markdown"}).out,
              HasSubstr("No function allocates more or less."));
}

TEST_F(check_command_test, diff_refuses_what_is_no_trace_and_no_word) {
  write("text", "no trace");
  record("t", {"sort", "/dev/null"});
  expect_refused({"diff", "t", "text"}, 1, "text: ");
  expect_refused({"diff", "nothing", "t"}, 1, "nothing: ");
  expect_refused({"diff", "t"}, 2, "AFTER is required");
  expect_refused({"diff", "t", "t", "--sort", "colour"}, 2, "--sort: unknown value 'colour'");
  expect_refused({"diff", "t", "t", "--format", "html"}, 2, "--format: unknown value 'html'");
  expect_refused({"diff", "t", "t", "--weight", "kg"}, 2, "--weight: unknown value 'kg'");
  expect_refused({"diff", "t", "t", "--collapsed", "t", "--force"}, 2, "t: is the input");
}

// The script of a job in any CI, with the command in PATH.
class check_script_test : public check_command_test {
 protected:
  ended job(const std::string& arguments, const std::string& environment = "") const {
    const std::string line = "cd '" + file(".").string() + "' && PATH='" +
                             fs::path(MALLARD_COMMAND).parent_path().string() +
                             "':\"$PATH\" GITHUB_ACTIONS= " + environment + " '" CHECK_SCRIPT "' " +
                             arguments + " >stdout 2>stderr";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), read_file(file("stdout")), read_file(file("stderr"))};
  }
};

TEST_F(check_script_test, leaves_a_trace_a_page_and_what_grew) {
  write("lines", "c\nb\na\n");
  write("b", "peak <= 1 GiB\n");
  const ended first = job("b out none.trace -- sort /dev/null");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_TRUE(fs::exists(file("out/heap.trace")));
  EXPECT_THAT(read_file(file("out/heap.html")), HasSubstr("<html"));
  EXPECT_FALSE(fs::exists(file("out/diff.md")));

  fs::rename(file("out/heap.trace"), file("base.trace"));
  const ended second = job("b out base.trace -- sort lines /etc/passwd");
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_THAT(read_file(file("out/diff.md")), StartsWith("### Heap"));
  EXPECT_THAT(read_file(file("out/diff.md")), HasSubstr("| allocations | "));
  EXPECT_EQ(job("b out -- sort /dev/null").status, 0);
  EXPECT_FALSE(fs::exists(file("out/diff.md")));
}

TEST_F(check_script_test, has_the_status_of_the_check_whatever_the_base_is) {
  write("b", "peak <= 1 GiB\n");
  write("base.trace", "no trace");
  EXPECT_EQ(job("b out base.trace -- sort /dev/null").status, 0);
  EXPECT_FALSE(fs::exists(file("out/diff.md")));
}

TEST_F(check_script_test, has_the_status_of_the_check) {
  write("b", "allocations <= 0\n");
  const ended broken = job("b out -- sort /dev/null", "GITHUB_ACTIONS=true");
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.out, StartsWith("::error file=b,line=1,"));
  EXPECT_TRUE(fs::exists(file("out/heap.html")));
  EXPECT_EQ(job("b out -- sh -c 'exit 7'").status, 7);
  EXPECT_EQ(job("none out -- sort /dev/null").status, 2);
  EXPECT_FALSE(fs::exists(file("out/heap.trace")));
  EXPECT_EQ(job("b out --").status, 2);
  EXPECT_EQ(job("b").status, 2);
}

}  // namespace
