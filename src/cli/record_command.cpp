// mallard record, mallard control
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/profile_text.hpp"
#include "cli/terminal.hpp"
#include "cli/usage_error.hpp"
#include "process/process.hpp"
#include "profile/record/recording.hpp"
#include "profile/shell_word.hpp"
#include "profile/trace/symbolizer.hpp"
#include "profile/trace/trace_reader.hpp"
#include "watch/watched_process.hpp"
#include "whatif/recorded_run.hpp"

namespace mallard::cli {
namespace {

namespace fs = std::filesystem;

struct record_request {
  profile::record_options options;
  bool no_cpu = false;
  bool no_follow = false;
  bool no_symbols = false;
  bool quiet = false;
};

// The program's exit status is ours even where nobody can be told anything.
template <class... Arguments>
void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  std::fputs(fmt::format(text, std::forward<Arguments>(arguments)...).c_str(), stderr);
}

void show_progress(const profile::record_totals& now, double seconds) {
  say("\r\033[Kmallard: {}, {}, {:.0f} s", base::counted(now.events, "event"),
      base::bytes_text(now.bytes), seconds);
}

void print_process(const profile::recorded_process& one) {
  if (one.file.empty()) {
    say("mallard: process {}: {}\n", one.pid, one.error);
    return;
  }
  say("mallard: {}: {} of {}, {}", one.file, base::counted(one.events, "event"),
      base::counted(one.threads, "thread"), base::bytes_text(one.bytes));
  if (one.waited_ns > 1'000'000) {
    say("; waited {:.3f} s because of full buffers", static_cast<double>(one.waited_ns) / 1e9);
  }
  if (one.dropped != 0) say("; {} lost", base::counted(one.dropped, "event"));
  if (one.refused != 0) {
    say(", {} of them by threads beyond the {} that are recorded at once",
        one.refused == one.dropped ? "all" : std::to_string(one.refused), recorder::most_threads);
  }
  if (one.ran_on) say("; incomplete: the process ran on");
  if (!one.error.empty()) say("; incomplete: {}", one.error);
  say("\n");
}

// Those that went wrong come first, then those that did most.
void print_processes(std::vector<profile::recorded_process> all) {
  constexpr std::size_t most_lines = 20;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.error.empty(), b.events, a.pid) <
           std::tuple(b.error.empty(), a.events, b.pid);
  });
  const std::size_t lines = std::min(most_lines, all.size());
  for (std::size_t i = 0; i < lines; ++i) print_process(all[i]);
  if (lines < all.size()) {
    say("mallard: and the traces of {} more processes\n", all.size() - lines);
  }
}

void print_programs_left_out(const profile::record_summary& done) {
  for (const profile::program_check& one : done.not_followed) {
    say("mallard: {}\n", profile::describe(one));
  }
  if (done.more_not_followed != 0) {
    say("mallard: and {} more programs were started and not recorded\n", done.more_not_followed);
  }
  if (!done.not_let_be.empty()) {
    say("mallard: {}; its calls still go through the recorder, which is idle\n", done.not_let_be);
  }
  if (done.left_running != 0) {
    const bool is_one = done.left_running == 1;
    say("mallard: {} process{} of the program ran on unrecorded", done.left_running,
        is_one ? "" : "es");
    if (!done.interrupted) say("; --wait waits for {}", is_one ? "it" : "them");
    say("\n");
  }
}

// `quiet`: only what went wrong.
void print_summary(const profile::record_summary& done, bool requested_nothing, bool begins_later,
                   bool quiet) {
  std::vector<profile::recorded_process> told = done.processes;
  if (quiet) std::erase_if(told, [](const auto& one) { return one.error.empty(); });
  print_processes(std::move(told));
  if (!quiet) print_programs_left_out(done);
  const profile::recorded_process* const look_at = whatif::main_trace(done);
  if (look_at == nullptr || look_at->events == 0) {
    if (!requested_nothing) {
      say("mallard: nothing was recorded\n");
    } else if (!quiet) {
      const bool is_part = done.cut || begins_later;
      say("mallard: the program requested no memory{}\n", is_part ? " while it was recorded" : "");
    }
    return;
  }
  // The traces of its children may have been finished later; commands without a file take the
  // newest.
  std::error_code ignored;
  std::filesystem::last_write_time(look_at->file, std::filesystem::file_time_type::clock::now(),
                                   ignored);
  if (quiet || !profile::is_trace(look_at->file)) return;
  say("mallard report {}\n", profile::shell_word(look_at->file));
}

// Why the recording ended, unless the program did by itself.
void print_end(const profile::record_options& options, const profile::record_summary& done) {
  if (done.interrupted) {
    say("mallard: interrupted; the trace has what was recorded before\n");
  } else if (done.cut) {
    say("mallard: ended after {} s, as --for says\n", options.longest);
  } else if (!done.exited && options.pid == 0) {
    say("mallard: {} was killed by {}\n", options.command.front(),
        process::describe_signal(done.status));
  }
}

void check_subject(const profile::record_options& options) {
  if (options.pid < 0) throw usage_error("--pid takes the number of a process");
  if (options.pid == 0 && options.command.empty()) {
    throw usage_error("record takes -- and a command, or --pid and the number of a process");
  }
  if (options.pid != 0 && !options.command.empty()) {
    throw usage_error("record takes a command or --pid, not both");
  }
  if (!std::isfinite(options.longest) || options.longest < 0) {
    throw usage_error("--for takes seconds; 0 means no limit");
  }
}

// The file that the trace replaces, aside until there is a trace to replace it by.
class earlier_file {
 public:
  explicit earlier_file(const std::string& name) : name_(name) {
    std::error_code none;
    if (name.empty() || fs::file_size(name, none) == 0 || none || is_written(name)) return;
    aside_ = fmt::format("{}.before-{}", name, getpid());
    // A folder that cannot be written to keeps its names; then the file is overwritten.
    fs::rename(name, aside_, none);
    if (none) aside_.clear();
  }
  earlier_file(const earlier_file&) = delete;
  earlier_file& operator=(const earlier_file&) = delete;
  ~earlier_file() {
    std::error_code ignored;
    if (!aside_.empty()) fs::rename(aside_, name_, ignored);
  }
  explicit operator bool() const noexcept { return !aside_.empty(); }  // whether there is one
  void forget() noexcept {
    std::error_code ignored;
    if (!aside_.empty()) fs::remove(std::exchange(aside_, {}), ignored);
  }

 private:
  // Whether another recording writes to it, which then refuses ours.
  static bool is_written(const std::string& name) noexcept {
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_locked = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0;
    if (file >= 0) close(file);
    return is_locked;
  }

  std::string name_;
  std::string aside_;  // empty: there is none
};

int run_record(const record_request& request) {
  profile::record_options options = request.options;
  options.library = whatif::record_library();
  options.session.follow = !request.no_follow;
  if (request.no_cpu) options.session.cpu_period_us = 0;
  if (!std::isfinite(options.delay) || options.delay < 0) {
    throw usage_error("--delay takes seconds from 0 on");
  }
  if (!std::isfinite(options.duration) || options.duration < 0) {
    throw usage_error("--duration takes seconds; 0 means no limit");
  }
  need_regular_file(options.output, "a trace");
  if (options.output.empty() && access(".", W_OK) != 0) {
    throw usage_error(
        fmt::format("no trace can be written here: {}; -o names another place", strerror(errno)));
  }
  if (options.session.depth == 0) throw usage_error("--depth takes 1 frame or more");
  check_subject(options);
  bool could_be_recorded = false;
  if (options.pid == 0) {
    const std::string remark = whatif::look_at_program(options.command.front());
    if (!remark.empty()) say("mallard: {}\n", remark);
    could_be_recorded = remark.empty();
  }

  if (options.pid != 0) watch::watched_process::refuse_attached(options.pid);

  profile::record_hooks hooks;
  profile::symbolizer symbols;
  if (!request.no_symbols) {
    hooks.finishing = [&](profile::trace_writer& trace) { symbols.add(trace); };
  }
  hooks.waits_long = [&] { say("{}\n", waits_long_text(options.pid)); };
  const bool draws = !request.quiet && is_screen(STDERR_FILENO);
  if (draws) hooks.progress = show_progress;
  earlier_file earlier(options.output);
  profile::record_summary done = profile::record(options, hooks);
  for (profile::recorded_process& one : done.processes) {
    if (one.events == 0 || !one.error.empty() || profile::is_trace(one.file)) continue;
    one.error = "it was removed or overwritten meanwhile";
  }
  const bool replaces =
      std::any_of(done.processes.begin(), done.processes.end(),
                  [](const auto& one) { return one.events != 0 && one.error.empty(); });
  if (draws) say("\r\033[K");
  if (!request.quiet) print_end(options, done);
  const bool requested_nothing = could_be_recorded && whatif::requested_nothing(done);
  const bool begins_later = options.paused || options.delay > 0 || options.skips > 0;
  print_summary(done, requested_nothing, begins_later, request.quiet);
  if (replaces) {
    earlier.forget();
  } else if (earlier) {
    say("mallard: {}: left as it was\n", options.output);
  }
  if (options.pid != 0 && done.interrupted) return interrupted;
  if (!done.exited) return 128 + done.status;
  const profile::recorded_process* const first = whatif::main_trace(done);
  const bool is_whole =
      requested_nothing || (first != nullptr && first->events != 0 && first->error.empty());
  return !is_whole && done.status == 0 ? failure : done.status;
}

}  // namespace

void add_record_command(command_parser app) {
  const command_parser record = app.add_command(
      "record",
      "Run a program and record what it allocates: mallard record -- COMMAND, or --pid PID");
  auto request = std::make_shared<record_request>();
  recorder::session_options& session = request->options.session;
  session.cpu_period_us = 1000;
  record.add_option("command", request->options.command, "The program and its arguments");
  record.end_options_at_words();
  record.add_new_file(
      "-o,--output", request->options.output,
      "Write the trace here (default: mallard.NAME.PID.trace); traces of children have "
      "their PID before the ending");
  record.add_option(
      "--depth", session.depth,
      "Check this many frames of the stack at every event (default 24). Within a "
      "microsecond of the thread's last event, the outer frames are assumed unchanged");
  record.add_choice("--unwind", session.unwind,
                    {{"tables", recorder::unwinding::tables},
                     {"frame-pointers", recorder::unwinding::frame_pointers}},
                    "Unwind stacks by exception tables, which almost all programs have, or by "
                    "frame pointers");
  record.add_option("--sample-stacks", session.sample_stacks,
                    "Record the stack of one of each n events; all events are counted (default 1; "
                    "0: no stacks)");
  record.add_flag("--no-cpu", request->no_cpu,
                  "Do not sample processor time (default: 1000 samples a second)");
  record.add_flag("--no-symbols", request->no_symbols,
                  "Do not store function names: the trace is ready sooner; they are looked up when "
                  "it is read, on a machine that has the program's files");
  record.add_flag("--no-follow", request->no_follow, "Do not record child processes");
  record.add_flag("--wait", request->options.wait, "Wait until all child processes have ended");
  record.add_flag("--drop", session.drop, "Lose events when a buffer is full, instead of waiting");
  record.add_option(
      "--pid", request->options.pid,
      "Attach to the running process with this number instead of starting a program; Ctrl-C or "
      "--for ends the recording, and the process goes on");
  record.add_option("--for", request->options.longest,
                    "End the program, or detach from the process of --pid, after this many seconds "
                    "(0: never)");
  const parser_option delay =
      record.add_option("--delay", request->options.delay, "Begin after this many seconds");
  const parser_option duration = record.add_option("--duration", request->options.duration,
                                                   "Record for this many seconds (0: to the end)");
  record.add_flag("--paused", request->options.paused, "Begin on `mallard control PID start`")
      .excludes(delay)
      .excludes(duration);
  record.add_flag("-q,--quiet", request->quiet, "Print only what went wrong");
  record.runs([request] { return run_record(*request); });
}

void add_control_command(command_parser app) {
  const command_parser control =
      app.add_command("control", "Start or stop recording while the program runs");
  auto pid = std::make_shared<int>(0);
  auto verb = std::make_shared<std::optional<recorder::recording>>();
  control.add_option("pid", *pid, "PID of the recorded program, or of `mallard record`").required();
  control
      .add_choice("verb", *verb,
                  {{"start", recorder::recording::on}, {"stop", recorder::recording::paused}},
                  "Whether events are recorded from now on")
      .required();
  control.runs([pid, verb] {
    profile::set_recording(*pid, **verb);
    return success;
  });
}

}  // namespace mallard::cli
