// Programs under the recorder: what they do is in the trace, all of it, and they do not notice.
#include "profile/record/recording.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "preload/functions.hpp"
#include "profile/record/program_check.hpp"
#include "profile/record/session_memory.hpp"
#include "profile/record/session_reader.hpp"
#include "profile/record/ticks_clock.hpp"
#include "profile/trace/symbolizer.hpp"
#include "profile/trace/trace_reader.hpp"
#include "recorder/ticks.hpp"
#include "support/scratch_path.hpp"

namespace {

using namespace mallard::profile;
namespace fs = std::filesystem;
using mallard::preload::function;

struct counts {
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t reallocations = 0;
  std::uint64_t bytes = 0;
  std::uint64_t samples = 0;
  friend bool operator==(const counts&, const counts&) = default;
};

counts count(const std::string& file) {
  trace_reader trace(file);
  counts out;
  auto events = trace.events();
  std::map<std::uint32_t, std::uint64_t> last;
  for (recorded one; events.next(one);) {
    if (one.sample) {
      ++out.samples;
      continue;
    }
    EXPECT_GE(one.what.time, last[one.thread]);
    last[one.thread] = one.what.time;
    out.allocations += one.what.kind == event_kind::allocate ? 1 : 0;
    out.frees += one.what.kind == event_kind::free ? 1 : 0;
    out.reallocations += one.what.kind == event_kind::reallocate ? 1 : 0;
    out.bytes += one.what.size;
  }
  EXPECT_TRUE(trace.problems().empty());
  return out;
}

class recording : public testing::Test {
 protected:
  void SetUp() override {
    options.library = MALLARD_RECORD_FILE;
    options.output = file("out.trace");
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  // The test's own program, doing what it is told.
  record_summary run(const std::vector<std::string>& words, const record_hooks& hooks = {}) {
    options.command = {MALLARD_RECORDED_PROGRAM};
    options.command.insert(options.command.end(), words.begin(), words.end());
    return record(options, hooks);
  }
  record_summary run_and_pass(const std::vector<std::string>& words) {
    record_summary done = run(words);
    EXPECT_TRUE(done.exited);
    EXPECT_EQ(done.status, 0);
    for (const recorded_process& one : done.processes) {
      EXPECT_EQ(one.error, "");
      EXPECT_EQ(one.dropped, 0U);
    }
    return done;
  }
  // The program itself.
  const recorded_process& first(const record_summary& done) const {
    for (const recorded_process& one : done.processes) {
      if (one.file == options.output) return one;
    }
    throw std::runtime_error("the program has no trace");
  }

  // The counts of a run of nothing.
  counts idle() {
    run_and_pass({"nothing"});
    return count(options.output);
  }

  record_options options;

 private:
  const mallard::scratch_folder folder_;
};

TEST_F(recording, counts_what_a_program_does) {
  const counts before = idle();
  run_and_pass({"pairs"});
  const counts found = count(options.output);
  EXPECT_EQ(found.allocations - before.allocations, 700U);
  EXPECT_EQ(found.frees - before.frees, 700U);
  EXPECT_EQ(found.bytes - before.bytes, 700U * 64);
}

TEST_F(recording, what_is_dropped_is_counted) {
  const counts before = idle();
  options.session.drop = true;
  const recorded_process one = first(run({"pairs_unread"}));
  trace_reader trace(options.output);
  auto events = trace.events();
  std::uint64_t found = 0;
  for (recorded it; events.next(it);) found += it.sample ? 0 : 1;
  EXPECT_GT(one.dropped, 100'000U);  // a ring holds far less than 200,000 events
  EXPECT_GT(found, 50'000U);         // but has grown: it begins with room for 20,000
  EXPECT_EQ(found + one.dropped, before.allocations + before.frees + 2 * 100'500U);
}

TEST_F(recording, counts_each_operation_once_after_its_end) {
  const counts before = idle();
  options.most_events = 1000;
  for (const char* const malloc : {"", MALLARD_OWN_MALLOC}) {
    if (fs::exists(malloc)) setenv("LD_PRELOAD", malloc, 1);
    const record_summary done = run({"objects"});
    unsetenv("LD_PRELOAD");
    EXPECT_GT(done.unrecorded, 100'000U) << malloc;
    EXPECT_NEAR(static_cast<double>(first(done).events + done.unrecorded),
                static_cast<double>(before.allocations + before.frees + 400'000), 20)
        << malloc;
  }
}

// A malloc that counts, behind the recorder: of real programs both have to say the same.
TEST_F(recording, counts_what_the_malloc_behind_it_counts) {
  const std::vector<std::vector<std::string>> programs = {
      {"perl", "-e", "my %h; $h{$_} = 'x' x $_ for 1..3000; delete $h{$_} for 1..1000"},
      {"sort", "-o", "/dev/null", "/proc/self/maps"},
      {"git", "--version"},
      {"g++", "--version"}};
  int compared = 0;
  for (const auto& program : programs) {
    if (check_program(program.front()).what != obstacle::none) continue;
    options.command = {
        "env", "COUNTS_FILE=" + file("counts"),
        std::string("LD_PRELOAD=") + MALLARD_RECORD_FILE + ":" + MALLARD_COUNTING_MALLOC};
    options.command.insert(options.command.end(), program.begin(), program.end());
    const record_summary done = record(options, {});
    ASSERT_EQ(done.status, 0);
    counts wanted;
    std::ifstream(file("counts")) >> wanted.allocations >> wanted.frees >> wanted.reallocations >>
        wanted.bytes;
    ASSERT_GT(wanted.allocations, 0U);
    EXPECT_TRUE(std::any_of(done.processes.begin(), done.processes.end(), [&](const auto& one) {
      return count(one.file) == wanted;
    })) << program.front();
    ++compared;
  }
  EXPECT_GE(compared, 2);
}

TEST_F(recording, knows_every_entry_point) {
  run_and_pass({"every_entry"});
  trace_reader trace(options.output);
  auto events = trace.events();
  std::map<std::uint64_t, event> of_size;  // the program gives each a size of its own
  std::map<std::uint64_t, event> freed;    // by address, the last
  std::set<std::uint64_t> live;
  for (recorded one; events.next(one);) {
    if (one.sample) continue;
    if (one.what.kind == event_kind::free) {
      EXPECT_EQ(live.erase(one.what.address), 1U);
      for (const auto& [size, made] : of_size) {
        if (made.address == one.what.address) freed[size] = one.what;
      }
      continue;
    }
    if (one.what.kind == event_kind::reallocate) {
      EXPECT_EQ(live.erase(one.what.old_address), 1U);
    }
    EXPECT_TRUE(live.insert(one.what.address).second);
    for (auto& [size, made] : of_size) {
      if (made.address == one.what.address) made.address = 0;
    }
    of_size[one.what.size] = one.what;
  }
  const auto through = [&](std::uint64_t size) {
    return static_cast<function>(of_size[size].function);
  };
  EXPECT_EQ(through(101), function::malloc);
  EXPECT_EQ(through(102), function::calloc);
  EXPECT_EQ(through(103), function::realloc);
  EXPECT_EQ(through(104), function::reallocarray);
  EXPECT_EQ(through(105), function::memalign);
  EXPECT_EQ(through(106), function::aligned_alloc);
  EXPECT_EQ(through(107), function::posix_memalign);
  EXPECT_EQ(through(108), function::valloc);
  EXPECT_EQ(through(109), function::pvalloc);
  EXPECT_EQ(of_size[50'000].kind, event_kind::reallocate);
  const function of_new[] = {function::new_one,
                             function::new_array,
                             function::new_aligned,
                             function::new_array_aligned,
                             function::new_nothrow,
                             function::new_array_nothrow,
                             function::new_aligned_nothrow,
                             function::new_array_aligned_nothrow,
                             function::new_one,
                             function::new_array,
                             function::new_aligned,
                             function::new_array_aligned};
  const function of_delete[] = {function::delete_one,
                                function::delete_array,
                                function::delete_aligned,
                                function::delete_array_aligned,
                                function::delete_nothrow,
                                function::delete_array_nothrow,
                                function::delete_aligned_nothrow,
                                function::delete_array_aligned_nothrow,
                                function::delete_sized,
                                function::delete_array_sized,
                                function::delete_sized_aligned,
                                function::delete_array_sized_aligned};
  for (std::uint64_t i = 0; i < std::size(of_new); ++i) {
    EXPECT_EQ(through(111 + i), of_new[i]) << "size " << 111 + i;
    ASSERT_TRUE(freed.contains(111 + i)) << "size " << 111 + i;
    EXPECT_EQ(static_cast<function>(freed[111 + i].function), of_delete[i]) << "size " << 111 + i;
  }
  EXPECT_EQ(of_size[106].alignment_log2, 7);
  EXPECT_EQ(through(0), function::new_one);
}

TEST_F(recording, is_right_after_new_has_failed) {
  const counts before = idle();
  run_and_pass({"failing_new"});
  const counts found = count(options.output);
  // Ten pairs, an int, and the exception's object, which the runtime gets from malloc; and the four
  // times that there was no memory.
  EXPECT_EQ(found.allocations - before.allocations, 12U + 4U);
  EXPECT_EQ(found.frees - before.frees, 12U);
}

TEST_F(recording, has_everything_up_to_the_instant_when_a_program_is_killed) {
  const counts before = idle();
  const record_summary done = run({"killed"});
  EXPECT_FALSE(done.exited);
  EXPECT_EQ(done.status, SIGKILL);
  const counts found = count(options.output);
  EXPECT_EQ(found.allocations - before.allocations, 100'000U);
  EXPECT_EQ(found.frees, 100'000U);
}

TEST_F(recording, has_all_but_the_last_second_when_it_is_killed_itself) {
  const pid_t recorder = fork();
  if (recorder == 0) {
    run({"running"});
    _exit(0);
  }
  // Until something is there; the program goes on until nobody records it any more.
  std::uint64_t events = 0;
  for (int tries = 0; tries < 600 && events == 0; ++tries) {
    usleep(100'000);
    if (fs::exists(options.output) && fs::file_size(options.output) > trace_header_bytes) {
      events = trace_reader(options.output).event_count();
    }
  }
  kill(recorder, SIGKILL);
  waitpid(recorder, nullptr, 0);
  trace_reader left(options.output);
  EXPECT_GE(left.event_count(), events);
  EXPECT_GT(events, 0U);
  EXPECT_FALSE(left.is_whole());
  // It did not come to this: the files are still there.
  EXPECT_TRUE(left.symbols().of.empty());
  find_missing_symbols(left);
  const auto& names = left.symbols().strings;
  EXPECT_NE(std::find(names.begin(), names.end(), "main"), names.end());
}

TEST_F(recording, lets_the_program_go_when_it_is_killed_and_nobody_waits_for_it) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t recorder = fork();
  if (recorder == 0) {
    close(ends[0]);
    run({"busy"});
    _exit(0);
  }
  close(ends[1]);  // the others are the recorder's and the program's
  while (!fs::exists(options.output) || fs::file_size(options.output) <= trace_header_bytes) {
    usleep(10'000);
  }
  kill(recorder, SIGKILL);
  pollfd all_ended{ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&all_ended, 1, 60'000), 1) << "the program still waits";
  waitpid(recorder, nullptr, 0);
  close(ends[0]);
}

TEST_F(recording, has_everything_of_a_program_that_ends_at_once_or_crashes) {
  const record_summary ended = run({"ended_at_once"});
  EXPECT_TRUE(ended.exited);
  EXPECT_EQ(ended.status, 7);
  EXPECT_EQ(count(options.output).frees, 1000U);
  const record_summary crashed = run({"crashed"});
  EXPECT_FALSE(crashed.exited);
  EXPECT_EQ(crashed.status, SIGSEGV);
  EXPECT_EQ(count(options.output).frees, 1000U);
}

TEST_F(recording, gives_each_child_a_trace) {
  const record_summary done = run_and_pass({"forking"});
  ASSERT_EQ(done.processes.size(), 101U);
  for (const recorded_process& one : done.processes) {
    if (one.file == options.output) continue;
    const counts found = count(one.file);
    EXPECT_EQ(found.allocations, 500U);
    EXPECT_EQ(found.frees, 500U);
  }
}

TEST_F(recording, follows_forks_of_programs_with_threads) {
  const record_summary done = run_and_pass({"forking_with_threads"});
  EXPECT_EQ(done.processes.size(), 21U);
  EXPECT_EQ(count(options.output).frees >= 600'000U, true);
  EXPECT_EQ(first(done).threads, 4U);
}

TEST_F(recording, leaves_children_alone_when_told_so) {
  options.session.follow = false;
  const record_summary done = run_and_pass({"forking"});
  EXPECT_EQ(done.processes.size(), 1U);
}

TEST_F(recording, follows_programs_that_start_programs) {
  const counts before = idle();
  const record_summary done = run_and_pass({"executing"});
  ASSERT_EQ(done.processes.size(), 3U);  // itself, its child, and what it turns into
  for (const recorded_process& one : done.processes) {
    const counts found = count(one.file);
    const std::uint64_t wanted = one.file == options.output ? 300 : 700;
    EXPECT_EQ(found.allocations - before.allocations, wanted) << one.file;
  }
}

TEST_F(recording, names_the_programs_that_it_cannot_follow) {
  for (const char* const how :
       {"execve", "execv", "execvp", "execlp", "execl", "posix_spawn", "posix_spawnp", "vfork"}) {
    const record_summary done = run_and_pass({"starting", how, MALLARD_STATIC_PROGRAM});
    ASSERT_EQ(done.not_followed.size(), 1U) << how;
    EXPECT_EQ(done.not_followed[0].what, obstacle::static_program) << how;
    EXPECT_EQ(fs::path(done.not_followed[0].file).filename(),
              fs::path(MALLARD_STATIC_PROGRAM).filename())
        << how;
  }
  const std::string script = file("script");
  std::ofstream(script) << "#! " << MALLARD_STATIC_PROGRAM << "\n";
  fs::permissions(script, fs::perms::owner_all);
  EXPECT_EQ(run_and_pass({"starting", "execve", script}).not_followed.size(), 1U);
  const record_summary untold = run_and_pass({"starting", "without_environment", "/bin/true"});
  ASSERT_EQ(untold.not_followed.size(), 1U);
  EXPECT_EQ(untold.not_followed[0].what, obstacle::not_told);
  const record_summary other = run_and_pass({"starting", "preloading_another", "/bin/true"});
  ASSERT_EQ(other.not_followed.size(), 1U);
  EXPECT_EQ(other.not_followed[0].what, obstacle::not_told);
  const record_summary crowded = run_and_pass({"starting", "in_little_room", "/bin/true"});
  ASSERT_EQ(crowded.not_followed.size(), 1U);
  EXPECT_EQ(crowded.not_followed[0].what, obstacle::little_room);
  const record_summary elsewhere = run_and_pass({"starting", "out_of_reach", "/bin/true"});
  ASSERT_EQ(elsewhere.not_followed.size(), 1U);
  EXPECT_EQ(elsewhere.not_followed[0].what, obstacle::unreachable);
}

// Its rights to reach the recorder end with the start of the program.
TEST_F(recording, names_programs_that_run_as_another_user) {
  if (geteuid() != 0) GTEST_SKIP() << "only root becomes another user";
  const record_summary done = run_and_pass({"starting", "as_another_user", "/bin/true"});
  ASSERT_EQ(done.not_followed.size(), 1U);
  EXPECT_EQ(done.not_followed[0].what, obstacle::unreachable);
}

TEST_F(recording, records_or_names_programs_in_other_namespaces) {
  if (std::system("unshare -Urm true 2>/dev/null") != 0) GTEST_SKIP() << "no new namespaces here";
  options.command = {"unshare", "-Urm", MALLARD_RECORDED_PROGRAM, "pairs"};
  const record_summary done = record(options, {});
  EXPECT_EQ(done.status, 0);
  const bool is_recorded = std::any_of(
      done.processes.begin(), done.processes.end(),
      [&](const auto& one) { return one.file != options.output && count(one.file).frees >= 700; });
  const bool is_named =
      std::any_of(done.not_followed.begin(), done.not_followed.end(),
                  [](const auto& one) { return one.file == MALLARD_RECORDED_PROGRAM; });
  EXPECT_NE(is_recorded, is_named);
}

// A sanitizer's library ends programs in which another library comes first.
TEST_F(recording, programs_of_sanitizers_run_and_are_named) {
  for (const auto& [program, name] : {std::pair{MALLARD_ADDRESS_PROGRAM, "AddressSanitizer"},
                                      std::pair{MALLARD_THREAD_PROGRAM, "ThreadSanitizer"}}) {
    const record_summary done = run_and_pass({"starting", "execve", program});
    ASSERT_EQ(done.not_followed.size(), 1U);
    EXPECT_EQ(done.not_followed[0].what, obstacle::sanitized);
    EXPECT_EQ(done.not_followed[0].sanitizer, name);
  }
}

TEST_F(recording, names_programs_with_a_malloc_of_their_own) {
  for (const char* const how : {"execve", "posix_spawn", "vfork"}) {
    const record_summary done = run_and_pass({"starting", how, MALLARD_OWN_MALLOC_PROGRAM});
    ASSERT_EQ(done.not_followed.size(), 1U) << how;
    EXPECT_EQ(done.not_followed[0].what, obstacle::own_malloc) << how;
  }
}

TEST_F(recording, waits_for_processes_whose_parents_have_ended) {
  EXPECT_EQ(run_and_pass({"daemon"}).left_running, 1U);
  options.wait = true;
  const record_summary done = run_and_pass({"daemon"});
  EXPECT_EQ(done.left_running, 0U);
  std::uint64_t events = 0;
  for (const recorded_process& one : done.processes) {
    if (one.file != options.output) events += one.events;
  }
  EXPECT_EQ(events, 100U);
}

TEST_F(recording, waits_for_a_daemon_that_has_done_nothing_when_its_parent_ends_or_names_it) {
  for (int i = 0; i <= 10; ++i) {
    options.wait = i != 0;
    int lives[2];
    ASSERT_EQ(pipe(lives), 0);
    fcntl(lives[1], F_SETFD, FD_CLOEXEC);
    record_hooks hooks;
    hooks.progress = [&](const record_totals&, double) { close(std::exchange(lives[1], -1)); };
    const record_summary done = run({"daemon_of_the_c_library", std::to_string(lives[0])}, hooks);
    close(lives[0]);
    close(lives[1]);
    EXPECT_EQ(done.left_running, options.wait ? 0U : 1U);
    ASSERT_EQ(done.processes.size(), options.wait ? 2U : 1U);
    for (const recorded_process& one : done.processes) {
      if (one.file != options.output) {
        EXPECT_EQ(one.events, 100U);
      }
    }
  }
}

// It ends before the trace of the program is finished.
TEST_F(recording, names_a_daemon_that_ran_on_however_soon_it_ends) {
  int lives[2];
  ASSERT_EQ(pipe(lives), 0);
  record_hooks hooks;
  hooks.finishing = [&](trace_writer&) {
    close(std::exchange(lives[1], -1));
    char nothing;
    while (read(lives[0], &nothing, 1) < 0 && errno == EINTR) {
    }
  };
  const record_summary done = run({"daemon"}, hooks);
  close(lives[0]);
  EXPECT_EQ(done.left_running, 1U);
  EXPECT_EQ(done.unrecorded, 50U);
  for (const recorded_process& one : done.processes) {
    EXPECT_EQ(one.ran_on, one.file != options.output);
    EXPECT_EQ(trace_reader(one.file).is_whole(), one.file == options.output);
  }
  EXPECT_EQ(done.processes.size(), 2U);
}

TEST_F(recording, of_programs_that_may_not_change_what_signals_do_takes_samples_all_the_same) {
  options.session.cpu_period_us = 1000;
  for (const char* const how : {"filtered", "filtered_with_threads"}) {
    const record_summary done = run({how});
    if (done.exited && done.status == 77) GTEST_SKIP() << "no filters of system calls here";
    EXPECT_TRUE(done.exited) << how;
    EXPECT_EQ(done.status, 0) << how;
    EXPECT_GT(count(options.output).samples, 0U) << how;
  }
}

// musl's dynamic linker ends a program that is to load a library made for glibc.
TEST_F(recording, programs_of_musl_run_and_are_named) {
  for (const char* const how :
       {"execve", "execv", "execvp", "execlp", "execl", "posix_spawn", "posix_spawnp", "vfork"}) {
    const record_summary done = run_and_pass({"starting", how, MALLARD_MUSL_PROGRAM});
    ASSERT_EQ(done.not_followed.size(), 1U) << how;
    EXPECT_EQ(done.not_followed[0].what, obstacle::other_libc) << how;
  }
  EXPECT_EQ(check_program(MALLARD_MUSL_PROGRAM).what, obstacle::other_libc);
  options.command = {MALLARD_MUSL_PROGRAM};
  EXPECT_EQ(record(options, {}).status, 0);
}

TEST_F(recording, names_no_program_that_it_follows_or_that_did_not_start) {
  for (const char* const how : {"execve", "execlp", "posix_spawnp"}) {
    EXPECT_TRUE(run_and_pass({"starting", how, "/bin/true"}).not_followed.empty()) << how;
  }
  const std::string broken = file("broken");  // not executable
  fs::copy_file(MALLARD_STATIC_PROGRAM, broken);
  fs::permissions(broken, fs::perms::owner_read);
  if (access(broken.c_str(), X_OK) == 0) GTEST_SKIP() << "everything may be executed here";
  EXPECT_TRUE(run_and_pass({"starting", "failing", broken}).not_followed.empty());
}

// The reader sees both programs at once, and the later one in a place before.
TEST_F(recording, of_a_process_that_starts_another_program_ends_what_came_first) {
  const session_memory memory;
  const ticks_clock clock;
  session_reader reader(memory, clock, {options.output, 0, {}}, {});
  const auto begin = [&](std::uint32_t thread, std::uint32_t process, std::uint64_t time) {
    mallard::recorder::process_slot& of = memory.process(process);
    of.pid = static_cast<std::uint32_t>(getpid());
    of.started = time;
    of.state = mallard::recorder::slot_state::in_use;
    mallard::recorder::thread_slot& slot = memory.thread(thread);
    slot.process = process;
    slot.tid = of.pid;
    slot.ring[0] = mallard::recorder::first_word(mallard::recorder::message::forget);
    slot.head = 1;
    memory->threads[thread] = mallard::recorder::slot_state::in_use;
  };
  const std::uint64_t now = mallard::recorder::processor_ticks();
  begin(0, 1, now + 2000);
  begin(1, 0, now + 1000);
  memory->threads_used = 2;
  reader.take();
  reader.reap();
  EXPECT_EQ(memory->threads[0].load(), mallard::recorder::slot_state::in_use);
  EXPECT_EQ(memory->threads[1].load(), mallard::recorder::slot_state::free);
  EXPECT_TRUE(reader.done().empty());
  reader.finish(false);
  EXPECT_EQ(reader.done().size(), 2U);
}

TEST_F(recording, has_every_event_of_many_threads) {
  const counts before = idle();
  const record_summary one_after_another = run_and_pass({"threads"});
  EXPECT_EQ(first(one_after_another).threads, 1001U);
  EXPECT_GE(count(options.output).frees - before.frees, 1000U * 50);
  const record_summary at_once = run_and_pass({"many_threads"});
  EXPECT_EQ(first(at_once).threads, 1001U);
  EXPECT_GE(count(options.output).frees - before.frees, 1000U * 40);
}

TEST_F(recording, takes_none_of_the_memory_that_a_program_limits_or_locks) {
  run_and_pass({"limits_its_addresses"});
  const int locked = run({"locks_its_memory"}).status;
  EXPECT_TRUE(locked == 0 || locked == 77) << locked;
}

TEST_F(recording, goes_on_when_the_first_thread_ends) {
  const counts before = idle();
  EXPECT_EQ(run_and_pass({"first_thread_ends"}).processes.size(), 1U);
  EXPECT_NEAR(static_cast<double>(count(options.output).allocations - before.allocations), 30'000,
              50);
}

TEST_F(recording, has_what_threads_do_while_they_end) {
  const counts before = idle();
  run_and_pass({"thread_ends"});
  trace_reader trace(options.output);
  auto events = trace.events();
  std::uint64_t of_key = 0;
  for (recorded one; events.next(one);) {
    of_key += one.what.kind == event_kind::allocate && one.what.size == 60 ? 1 : 0;
  }
  EXPECT_EQ(of_key, 50U * 4);
  EXPECT_GT(count(options.output).frees, before.frees + 50U * 5);
}

TEST_F(recording, takes_signals_that_allocate_and_leaves_the_programs_timers_alone) {
  run_and_pass({"signal_handler"});
  trace_reader trace(options.output);
  auto events = trace.events();
  std::uint64_t of_handler = 0;
  for (recorded one; events.next(one);) {
    of_handler += one.what.kind == event_kind::allocate && one.what.size == 200 ? 1 : 0;
  }
  EXPECT_EQ(of_handler, 2000U * 3);
}

TEST_F(recording, samples_by_a_signal_that_no_program_meets) {
  options.session.cpu_period_us = 1000;
  run_and_pass({"signals_of_its_own"});
  // The first 50 ms have 50 at most; after them the program blocks all signals for 450 ms. A busy
  // system has looked at the clock as seldom as every 6 ms.
  EXPECT_GT(count(options.output).samples, 50U);
}

TEST_F(recording, leaves_the_c_librarys_signals_to_it) {
  options.session.cpu_period_us = 1000;
  run_and_pass({"changing_user"});
}

TEST_F(recording, leaves_no_timers_of_threads_that_have_ended) {
  options.session.cpu_period_us = 1000;
  run_and_pass({"short_threads"});
}

TEST_F(recording, of_more_threads_than_it_has_room_for_records_what_it_can) {
  const record_summary done = run({"too_many_threads"});
  EXPECT_EQ(done.status, 0);
  EXPECT_GT(first(done).refused, 0U);
  EXPECT_GE(trace_reader(options.output).dropped(), first(done).refused);
  EXPECT_EQ(first(done).threads, 2048U);
}

TEST_F(recording, waits_for_the_rooms_of_threads_that_have_ended) {
  options.command = {MALLARD_RECORDED_PROGRAM, "threads_without_end"};
  const record_summary done =
      record(options,
             {.progress = [](const record_totals&, double) { usleep(700'000); }, .finishing = {}});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(first(done).refused, 0U);
  EXPECT_GE(first(done).threads, 7500U);
  EXPECT_EQ(trace_reader(options.output).dropped(), 0U);
}

TEST_F(recording, has_what_failed) {
  run_and_pass({"failing_malloc"});
  trace_reader trace(options.output);
  auto events = trace.events();
  int failed = 0;
  for (recorded one; events.next(one);) {
    failed += one.what.address == 0 && one.what.size > 50 ? 1 : 0;
  }
  EXPECT_EQ(failed, 4);
}

TEST_F(recording, needs_no_descriptor_and_no_file_once_it_has_begun) {
  const record_summary closed = run_and_pass({"closed_descriptors"});
  EXPECT_EQ(closed.processes.size(), 2U);
  if (geteuid() != 0) GTEST_SKIP() << "only root can change the root";
  const record_summary changed = run_and_pass({"changed_root"});
  EXPECT_EQ(changed.processes.size(), 2U);
  for (const recorded_process& one : changed.processes) EXPECT_GE(one.events, 400U);
}

// The functions of two libraries that were loaded at the same address, one after the other, are not
// the same stack.
TEST_F(recording, tells_modules_at_one_address_apart) {
  run_and_pass({"reloading", MALLARD_FIRST_LIBRARY, MALLARD_SECOND_LIBRARY});
  trace_reader trace(options.output);
  std::map<std::string, int> loaded;
  for (const module_info& one : trace.facts().modules) ++loaded[fs::path(one.path).filename()];
  const std::string first_name = fs::path(MALLARD_FIRST_LIBRARY).filename();
  const std::string second_name = fs::path(MALLARD_SECOND_LIBRARY).filename();
  EXPECT_EQ(loaded[first_name], 10);
  EXPECT_EQ(loaded[second_name], 10);
  auto events = trace.events();
  std::set<std::uint32_t> stacks;
  for (recorded one; events.next(one);) {
    if (one.what.kind == event_kind::allocate && one.what.size == 300) {
      stacks.insert(one.what.stack);
    }
  }
  EXPECT_EQ(stacks.size(), 20U);
}

TEST_F(recording, samples_where_the_processors_time_goes) {
  options.session.cpu_period_us = 1000;
  run_and_pass({"processor_time"});
  const counts found = count(options.output);
  // 400 ms at one a millisecond; the system may look at the clock less often, and lose some.
  EXPECT_GE(found.samples, 50U);
  EXPECT_LE(found.samples, 440U);
}

// The others end before a tick, and have none.
TEST_F(recording, the_first_sample_of_a_thread_stands_for_a_tick) {
  options.session.cpu_period_us = 1000;
  run_and_pass({"processor_time_of_short_threads"});
  trace_reader trace(options.output);
  std::map<std::uint32_t, long> samples;  // by thread
  auto events = trace.events();
  for (recorded one; events.next(one);) samples[one.thread] += one.sample ? 1 : 0;
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  for (const auto& [thread, count] : samples) {
    EXPECT_TRUE(count == 0 || count >= tick.tv_nsec / 1'000'000) << thread << ": " << count;
  }
}

TEST_F(recording, takes_no_samples_when_not_asked) {
  options.session.cpu_period_us = 0;
  run_and_pass({"processor_time"});
  EXPECT_EQ(count(options.output).samples, 0U);
}

TEST_F(recording, counts_all_and_samples_stacks) {
  options.session.sample_stacks = 10;
  run_and_pass({"pairs"});
  trace_reader trace(options.output);
  auto events = trace.events();
  std::uint64_t all = 0;
  std::uint64_t with_stack = 0;
  for (recorded one; events.next(one);) {
    ++all;
    with_stack += one.what.stack != 0 ? 1 : 0;
  }
  EXPECT_GE(all, 1400U);
  EXPECT_NEAR(static_cast<double>(with_stack), static_cast<double>(all) / 10, 2);
}

// Every second operation of this program is a free.
TEST_F(recording, times_allocations_as_well_as_frees_and_gives_both_stacks) {
  options.session.sample_stacks = 2;
  run_and_pass({"pairs"});
  trace_reader trace(options.output);
  auto events = trace.events();
  std::map<event_kind, int> timed, with_stack;
  for (recorded one; events.next(one);) {
    if (one.sample) continue;
    timed[one.what.kind] += one.what.cost != 0;
    with_stack[one.what.kind] += one.what.stack != 0;
  }
  EXPECT_GT(timed[event_kind::allocate], 2);
  EXPECT_GT(timed[event_kind::free], 2);
  EXPECT_GT(with_stack[event_kind::allocate], 200);
  EXPECT_GT(with_stack[event_kind::free], 200);
}

struct marks {
  int enters = 0;
  int exits = 0;
  int in_scope = 0;  // blocks of the size that the scope's function makes
  int of_resource = 0;
  std::set<std::string> names;
};

marks count_marks(const std::string& file) {
  trace_reader trace(file);
  auto events = trace.events();
  marks out;
  for (recorded one; events.next(one);) {
    if (one.sample) continue;
    out.enters += one.what.kind == event_kind::scope_enter ? 1 : 0;
    out.exits += one.what.kind == event_kind::scope_exit ? 1 : 0;
    if (one.what.kind == event_kind::allocate && one.what.size == 210) ++out.in_scope;
    if (one.what.function == resource_function) {
      ++out.of_resource;
      EXPECT_EQ(one.what.size, 72U);
    }
  }
  for (const auto& [key, text] : trace.facts().names) {
    if (key.first != name_kind::function) out.names.insert(text);
  }
  return out;
}

TEST_F(recording, has_what_the_program_says_of_itself) {
  const record_summary done = run_and_pass({"marked"});
  const marks own = count_marks(options.output);
  EXPECT_EQ(own.enters, 3);
  EXPECT_EQ(own.exits, 3);
  EXPECT_EQ(own.in_scope, 1 + 10 + 1);
  EXPECT_EQ(own.of_resource, 2);
  EXPECT_EQ(own.names, (std::set<std::string>{"marked part", "the arena"}));
  trace_reader trace(options.output);
  const auto& threads = trace.facts().threads;
  EXPECT_TRUE(std::any_of(threads.begin(), threads.end(),
                          [](const auto& one) { return one.second.name == "the worker"; }));
  // A block freed in the pause does not live on.
  auto events = trace.events();
  std::map<std::uint64_t, std::uint64_t> live;
  for (recorded one; events.next(one);) {
    if (one.sample) continue;
    if (one.what.kind == event_kind::allocate) live[one.what.address] = one.what.size;
    if (one.what.kind == event_kind::free) live.erase(one.what.address);
  }
  for (const auto& [address, size] : live) EXPECT_NE(size, 220U);
  ASSERT_EQ(done.processes.size(), 2U);
  for (const recorded_process& one : done.processes) {
    if (one.file == options.output) continue;
    const marks child = count_marks(one.file);
    EXPECT_EQ(child.in_scope, 5);
    EXPECT_EQ(child.names, std::set<std::string>{"marked part"});
  }
}

TEST_F(recording, of_a_place_that_cannot_be_written_does_not_run_the_program) {
  options.output = file("no/such/folder/out.trace");
  options.command = {"/usr/bin/touch", file("touched")};
  EXPECT_THROW(record(options, {}), std::system_error);
  EXPECT_FALSE(fs::exists(file("touched")));
}

TEST_F(recording, of_a_full_disk_says_so_and_lets_the_program_go_on) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  options.output = "/dev/full";
  const record_summary done = run({"killed"});
  EXPECT_EQ(done.status, SIGKILL);
  ASSERT_EQ(done.processes.size(), 1U);
  EXPECT_NE(done.processes[0].error, "");
}

TEST_F(recording, of_no_program_says_so) {
  options.command = {"/no/such/program"};
  try {
    record(options, {});
    FAIL();
  } catch (const std::system_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("/no/such/program"), std::string::npos);
  }
}

TEST_F(recording, begins_and_ends_when_told) {
  options.paused = true;
  const record_summary nothing = run_and_pass({"pairs"});
  for (const recorded_process& one : nothing.processes) EXPECT_EQ(one.events, 0U);
  options.paused = false;
  options.delay = 30;
  const record_summary too_late = run_and_pass({"pairs"});
  for (const recorded_process& one : too_late.processes) EXPECT_EQ(one.events, 0U);
}

TEST_F(recording, ends_a_program_that_takes_longer_than_it_may) {
  options.command = {"sleep", "1000"};
  options.longest = 0.2;
  const record_summary done = record(options, {});
  EXPECT_TRUE(done.cut);
  EXPECT_FALSE(done.exited);
  EXPECT_EQ(done.status, SIGTERM);
  EXPECT_LT(done.seconds, 100);
  EXPECT_NO_THROW(trace_reader trace(options.output));
}

TEST(program_check, finds_programs_as_a_shell_does) {
  EXPECT_EQ(check_program("sh").what, obstacle::none);
  EXPECT_EQ(check_program("no-such-program-at-all").what, obstacle::no_such_program);
  EXPECT_EQ(check_program(MALLARD_RECORDED_PROGRAM).what, obstacle::none);
}

// Half a file is enough to know what machine it is for.
TEST_F(recording, of_another_machine_names_the_program_and_leaves_it_its_environment) {
  const std::string other = file("of_32_bits");
  {
    std::ofstream out(other, std::ios::binary);
    unsigned char header[64] = {0x7f, 'E', 'L', 'F', 1, 1, 1};
    header[16] = 2;
    header[18] = 3;  // of 80386
    out.write(reinterpret_cast<const char*>(header), sizeof header);
  }
  fs::permissions(other, fs::perms::owner_all);
  EXPECT_EQ(check_program(other).what, obstacle::other_machine);
  const char* const program = "/lib32/libc.so.6";  // it tells its version when it is started
  if (!fs::exists(program)) GTEST_SKIP() << "no program of 32 bits is here";
  const record_summary done = run_and_pass({"starting", "execve", program});
  ASSERT_EQ(done.not_followed.size(), 1U);
  EXPECT_EQ(done.not_followed[0].what, obstacle::other_machine);
}

TEST(program_check, knows_what_cannot_be_recorded) {
  EXPECT_EQ(check_program(MALLARD_STATIC_PROGRAM).what, obstacle::static_program);
  EXPECT_EQ(check_program(MALLARD_OWN_MALLOC_PROGRAM).what, obstacle::own_malloc);
  for (const auto& [file, name] : {std::pair{MALLARD_ADDRESS_PROGRAM, "AddressSanitizer"},
                                   std::pair{MALLARD_THREAD_PROGRAM, "ThreadSanitizer"}}) {
    const program_check found = check_program(file);
    EXPECT_EQ(found.what, obstacle::sanitized);
    EXPECT_EQ(found.sanitizer, name);
  }
}

}  // namespace
