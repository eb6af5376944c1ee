// mallard live
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/live_terminal.hpp"
#include "cli/live_text.hpp"
#include "cli/output_file.hpp"
#include "cli/profile_text.hpp"
#include "cli/terminal.hpp"
#include "cli/usage_error.hpp"
#include "process/adoption.hpp"
#include "profile/attach/running_process.hpp"
#include "profile/record/child_program.hpp"
#include "profile/record/session_memory.hpp"
#include "watch/rates.hpp"
#include "whatif/own_library.hpp"
#include "whatif/recorded_run.hpp"

namespace mallard::cli {
namespace {

using clock = std::chrono::steady_clock;

struct live_request {
  std::vector<std::string> words;  // a process, or a command
  pid_t pid = 0;                   // or the process
  double interval = 1;
  double duration = 0;
  bool by_live_bytes = false;
  std::string output;
  bool library = false;
};

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

std::string live_library() {
  return whatif::find_own_library("libmallard-live.so");
}

// While a program is started: where it writes. On a screen its output would be in the middle.
class output_of_program {
 public:
  output_of_program(bool has_screen, const std::string& file) {
    std::fflush(stdout);
    int to = -1;
    if (is_standard_output(file)) {
      to = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    } else if (!file.empty()) {
      to = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
      if (to < 0) throw std::system_error(errno, std::generic_category(), file);
    } else if (has_screen) {
      to = open("/dev/null", O_WRONLY | O_CLOEXEC);
    }
    out_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    error_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(to >= 0 ? to : STDERR_FILENO, STDOUT_FILENO);
    if (to < 0) return;
    dup2(to, STDERR_FILENO);
    close(to);
  }
  ~output_of_program() {
    if (out_ >= 0) dup2(out_, STDOUT_FILENO);
    if (error_ >= 0) dup2(error_, STDERR_FILENO);
    close(out_);
    close(error_);
  }
  output_of_program(const output_of_program&) = delete;
  output_of_program& operator=(const output_of_program&) = delete;

 private:
  int out_ = -1;
  int error_ = -1;
};

// A program of ours, or one that runs already.
class subject {
 public:
  explicit subject(pid_t pid) : adopted_(false) {
    const bool is_left = watch::watched_process::is_left_behind(pid);
    if (is_left || !watch::watched_process::is_counting(pid)) {
      if (!is_left && profile::is_attached_to(pid)) {
        throw std::runtime_error(
            fmt::format("process {} is being recorded: its calls go to the recorder", pid));
      }
      attached_ = std::make_unique<profile::running_process>(
          pid, [pid] { fmt::print(stderr, "{}\n", waits_long_text(pid)); });
      if (!is_left) attached_->call(live_library(), "mallard_live_attach", "");
    }
    program_ = std::make_unique<watch::watched_process>(pid);
    if (attached_) program_->is_watched_by(getpid());
  }
  subject(const live_request& request, bool has_screen) {
    const char* const others = std::getenv("LD_PRELOAD");
    std::string preloaded = live_library();
    if (others != nullptr && *others != '\0') preloaded += std::string(":") + others;
    {
      const output_of_program elsewhere(has_screen, request.output);
      child_ = std::make_unique<profile::child_program>(
          request.words,
          std::vector<std::pair<std::string, std::string>>{{"LD_PRELOAD", preloaded}});
    }
    child_->let_go();
  }

  // Whether it counts by now.
  bool is_found() {
    if (program_) return true;
    try {
      program_ = std::make_unique<watch::watched_process>(child_->pid());
    } catch (const std::runtime_error&) {
      return false;
    }
    return true;
  }
  bool is_attached() const { return attached_ != nullptr; }
  bool has_ended() { return child_ ? child_->ended() : !program_->is_there(); }
  watch::watched_process& program() const { return *program_; }
  // Names the signal that killed our program, if one did.
  void say_end() const {
    if (!child_ || child_->exited()) return;
    fmt::print(stderr, "mallard: the program was killed by {}\n",
               process::describe_signal(child_->status()));
  }
  // It runs another program now, which counts elsewhere.
  void look_again() {
    if (child_) program_.reset();
  }

  // Ends the view when nobody looks any more.
  int end() {
    if (attached_ && attached_->is_there()) {
      attached_->call(live_library(), "mallard_live_detach", "");
    }
    if (!child_) return success;
    for (int i = 0; !child_->ended(); ++i) {
      if (i == 0) kill(child_->pid(), SIGTERM);
      if (i == 50) kill(child_->pid(), SIGKILL);
      usleep(20'000);
    }
    adopted_.end_all();
    return success;
  }
  int status() const {
    if (!child_) return success;
    return child_->exited() ? child_->status() : 128 + child_->status();
  }

 private:
  process::adoption adopted_;  // where we start it
  std::unique_ptr<profile::child_program> child_;
  std::unique_ptr<profile::running_process> attached_;  // by us
  std::unique_ptr<watch::watched_process> program_;
};

class session {
 public:
  session(const live_request& request, subject& of, bool has_screen, bool colour)
      : request_(request), of_(of) {
    view_.colour = colour;
    view_.by_live_bytes = request.by_live_bytes;
    if (has_screen) terminal_ = std::make_unique<live_terminal>();
  }

  // False: nobody wants to look any more.
  bool run() {
    clock::time_point start = clock::now();
    while (!of_.has_ended()) {
      if (was_interrupted()) return false;
      if (request_.duration > 0 && seconds_since(start) >= request_.duration) return false;
      if (!of_.is_found()) {
        if (wait(0.01) == 'q') return false;
        continue;
      }
      if (!of_.program().is_there()) {
        of_.look_again();
        before_ = {};
        names_ = {};
        continue;
      }
      if (before_.seconds == 0) {
        look();
        start = clock::now();  // names were read first
      }
      const double left = request_.duration > 0 ? request_.duration - seconds_since(start) : 1e9;
      const char key = wait_while_there(std::min(request_.interval, std::max(left, 0.001)));
      if (key == 'q') return false;
      if (key == 0 && left < request_.interval / 2) continue;  // too short for rates
      if (key == 'r' || key == 'l') view_.by_live_bytes = key == 'l';
      if (!of_.program().is_there()) continue;
      show();
    }
    return true;
  }
  void finish() {
    terminal_.reset();
    if (of_.is_found()) {
      fmt::print("{}", live_summary(of_.program().read()));
    } else if (of_.has_ended()) {
      fmt::print(stderr,
                 "mallard: nothing was counted: the program ended too soon, or was started without "
                 "LD_PRELOAD by another\n");
    }
  }

 private:
  char wait(double seconds) const { return wait_for_key(seconds, terminal_ != nullptr); }

  // In steps, to end with the program.
  char wait_while_there(double seconds) const {
    constexpr double step = 0.2;
    char key = 0;
    for (; key == 0 && seconds > 0 && !was_interrupted(); seconds -= step) {
      key = wait(std::min(seconds, step));
      if (!of_.program().is_there()) break;
    }
    return key;
  }

  watch::reading look() {
    watch::reading now = of_.program().read();
    if (of_.is_attached()) of_.program().look_for_modules();
    names_.learn(now.sites, of_.program().module_paths());
    std::swap(before_, now);
    return now;
  }

  void show() {
    const watch::reading before = look();
    const watch::rates rates = watch::between(before, before_, names_);
    if (!terminal_) {
      fmt::print("{}", live_lines(before_, rates, view_));
      std::fflush(stdout);
      return;
    }
    view_.width = terminal_->width();
    view_.rows = terminal_->rows();
    terminal_->show(live_screen(before_, rates,
                                fmt::format("{}  {}", of_.program().pid(), of_.program().command()),
                                view_));
  }

  const live_request& request_;
  subject& of_;
  live_view view_;
  std::unique_ptr<live_terminal> terminal_;
  watch::site_names names_;
  watch::reading before_;
};

pid_t pid_of(const live_request& request) {
  if (!request.output.empty()) throw usage_error("--output is for commands");
  if (request.pid > 0 && request.words.empty()) return request.pid;
  if (request.words.size() != 1) throw usage_error("live takes one process, or a command after --");
  const std::string& word = request.words.front();
  pid_t pid = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), pid);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size() || pid <= 0) {
    throw usage_error(fmt::format("'{}' is not a process number; a command comes after --", word));
  }
  return pid;
}

void check(const live_request& request) {
  if (!std::isfinite(request.interval) || request.interval < 0.05) {
    throw usage_error("--interval takes 0.05 seconds or more");
  }
  if (!std::isfinite(request.duration) || request.duration < 0) {
    throw usage_error("--duration takes seconds; 0 means no limit");
  }
}

int watch_it(const live_request& request, bool is_command, colour_choice choice) {
  if (request.library) {
    fmt::print("{}\n", live_library());
    return success;
  }
  check(request);
  if (request.words.empty() && request.pid <= 0)
    throw usage_error("live takes a process's number, or -- and a command");
  const bool screen = has_screen();
  if (is_command) {
    const std::string obstacle = whatif::look_at_program(request.words.front());
    if (!obstacle.empty()) throw usage_error(obstacle);
    watch::watched_process::refuse_little_room();
  }
  const interrupt_guard guard;
  subject of = is_command ? subject(request, screen) : subject(pid_of(request));
  session watching(request, of, screen, use_colour(choice, STDOUT_FILENO));
  const bool ended = watching.run();
  watching.finish();
  if (ended) of.say_end();
  const int status = ended && !was_interrupted() ? of.status() : of.end();
  return was_interrupted() ? interrupted : status;
}

}  // namespace

void add_live_command(command_parser app, const context& shared) {
  const command_parser command = app.add_command(
      "live",
      "Show what a running program allocates, each second: mallard live PID, or -- COMMAND");
  const auto request = std::make_shared<live_request>();
  command.add_option("PROGRAM", request->words, "The number of a process, or -- and a command");
  command.add_option("--pid", request->pid, "The number of a process");
  command.add_option("--interval", request->interval, "Seconds between updates (default 1)");
  command.add_option("--duration,--for", request->duration,
                     "End after this many seconds (0: when the program ends)");
  command.add_choice("--by", request->by_live_bytes, {{"rate", false}, {"live", true}},
                     "List first the functions that allocate most often, or those with the most "
                     "live bytes");
  command.add_new_file(
      "-o,--output", request->output,
      "Send the command's output here (default: discarded while the screen is shown, "
      "else standard error)");
  command.add_flag("--library", request->library,
                   "Print the library to preload: LD_PRELOAD=\"$(mallard live --library)\"");
  command.runs([&shared, request] { return watch_it(*request, shared.has_dashes, shared.colour); });
}

}  // namespace mallard::cli
