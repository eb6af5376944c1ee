#include "profile/record/recording.hpp"

#include <signal.h>
#include <string.h>  // strnlen
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "process/adoption.hpp"
#include "process/unharmed.hpp"
#include "profile/attach/attached_recorder.hpp"
#include "profile/record/child_program.hpp"
#include "profile/record/group_witness.hpp"
#include "recorder/futex.hpp"

namespace mallard::profile {
namespace {

constexpr long longest_sleep_ms = 20;
constexpr double reap_seconds = 0.05;
constexpr double progress_seconds = 0.2;
constexpr double modules_seconds = 0.2;
// Time between SIGTERM and SIGKILL.
constexpr double patience_seconds = 1;
// If we are killed, at most this much is lost.
constexpr double flush_seconds = 1;

// Used by the signal handlers; there is one recording at a time.
recorder::session* signalled = nullptr;
volatile sig_atomic_t interrupts = 0;
// Signals that nobody has looked at yet, by who sent them.
enum sender : sig_atomic_t { nobody, a_process, the_terminal };
constexpr std::array passed_on = {SIGINT, SIGTERM, SIGHUP};
volatile sig_atomic_t interrupt_noted[passed_on.size()] = {};

void child_changed(int, siginfo_t*, void*) {
  if (signalled != nullptr) {
    recorder::change_and_wake(signalled->doorbell, signalled->reader_waits);
  }
}

void note_interrupt(int signal, siginfo_t* from, void*) {
  interrupts = 1;
  for (std::size_t i = 0; i < passed_on.size(); ++i) {
    if (passed_on[i] == signal) interrupt_noted[i] = from->si_code > 0 ? the_terminal : a_process;
  }
}

// The program gets the SIGINT, SIGTERM or SIGHUP that we get, decides, and we end after it. A
// terminal's reaches it directly, as does what a process sends to the group; another we pass on.
class interrupt_passer {
 public:
  // `program`: 0: none.
  explicit interrupt_passer(pid_t program) : program_(program) {
    if (program > 0) witness_ = std::make_unique<group_witness>();
  }
  // Call it often; `now` in seconds.
  void look(double now) {
    if (!witness_ || !is_noted()) return;
    if (noted_at_ == 0) noted_at_ = now;
    if (now - noted_at_ < all_have_it) return;
    noted_at_ = 0;
    // The next witness begins first, so that none is missed between the two.
    auto next = std::make_unique<group_witness>();
    const bool is_in_group = getpgid(program_) == getpgrp();
    std::array<sig_atomic_t, passed_on.size()> noted{};
    for (std::size_t i = 0; i < noted.size(); ++i) {
      noted[i] = interrupt_noted[i];
      if (noted[i] != nobody) interrupt_noted[i] = nobody;
    }
    const std::uint64_t of_group = witness_->pending();
    witness_ = std::move(next);
    for (std::size_t i = 0; i < noted.size(); ++i) {
      const bool has_it =
          is_in_group && (noted[i] == the_terminal || (of_group >> (passed_on[i] - 1) & 1) != 0);
      if (noted[i] != nobody && !has_it) kill(program_, passed_on[i]);
    }
  }
  // Call it when the program has ended. What came until then was for it.
  void end() {
    if (!witness_) return;
    witness_.reset();
    for (volatile sig_atomic_t& one : interrupt_noted) one = nobody;
  }
  // Whether an interrupt came that no program was there to get.
  bool is_ours() const { return !witness_ && is_noted(); }

 private:
  static bool is_noted() {
    return std::any_of(std::begin(interrupt_noted), std::end(interrupt_noted),
                       [](sig_atomic_t one) { return one != nobody; });
  }
  static constexpr double all_have_it = 0.01;  // after the first of a group

  pid_t program_;
  double noted_at_ = 0;
  std::unique_ptr<group_witness> witness_;
};

class signal_guard {
 public:
  explicit signal_guard(recorder::session& session) {
    signalled = &session;
    interrupts = 0;
    for (volatile sig_atomic_t& one : interrupt_noted) one = nobody;
    set(SIGCHLD, child_changed, 0);
    set(SIGINT, note_interrupt, 1);
    set(SIGQUIT, nullptr, 2);
    set(SIGTERM, note_interrupt, 3);
    set(SIGHUP, note_interrupt, 4);
    if (before_[4].sa_handler == SIG_IGN) set(SIGHUP, nullptr, 4);  // below nohup
    set(SIGPIPE, nullptr, 5);  // if nobody reads a trace, it is only incomplete
  }
  ~signal_guard() {
    for (int i = 0; i < count; ++i) sigaction(signals_[i], &before_[i], nullptr);
    signalled = nullptr;
  }
  signal_guard(const signal_guard&) = delete;
  signal_guard& operator=(const signal_guard&) = delete;

 private:
  static constexpr int count = 6;
  const process::unharmed unharmed_;
  // Null: the signal is ignored.
  void set(int signal, void (*handler)(int, siginfo_t*, void*), int i) {
    struct sigaction action{};
    if (handler == nullptr) {
      action.sa_handler = SIG_IGN;
    } else {
      action.sa_sigaction = handler;
      action.sa_flags = SA_RESTART | SA_SIGINFO;
    }
    signals_[i] = signal;
    sigaction(signal, &action, &before_[i]);
  }
  int signals_[count] = {};
  struct sigaction before_[count] = {};
};

process::environment environment(const record_options& options, const session_memory& memory) {
  const obstacle found = check_program(options.command.front()).what;
  if (found == obstacle::other_libc || found == obstacle::other_machine) return {};
  std::string preload = options.library;
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0') {
    preload += std::string(":") + others;
  }
  return {{"LD_PRELOAD", preload}, {recorder::session_kind.variable, memory.path()}};
}

std::vector<program_check> not_followed(const recorder::session& all) {
  std::vector<program_check> out;
  for (const recorder::unfollowed_program& one : all.unfollowed_programs) {
    if (one.state.load(std::memory_order_acquire) != recorder::slot_state::in_use) continue;
    program_check& found = out.emplace_back();
    found.file.assign(one.path, strnlen(one.path, sizeof one.path));
    switch (one.why) {
      case recorder::unfollowed::static_program:
        found.what = obstacle::static_program;
        break;
      case recorder::unfollowed::other_libc:
        found.what = obstacle::other_libc;
        break;
      case recorder::unfollowed::privileged:
        found.what = obstacle::privileged;
        break;
      case recorder::unfollowed::sanitized:
        found.what = obstacle::sanitized;
        found.sanitizer = check_program(found.file).sanitizer;
        break;
      case recorder::unfollowed::unreachable:
        found.what = obstacle::unreachable;
        break;
      case recorder::unfollowed::other_machine:
        found.what = obstacle::other_machine;
        break;
      case recorder::unfollowed::address_space:
        found.what = obstacle::little_room;
        break;
      default:
        found.what = obstacle::not_told;
    }
  }
  return out;
}

void set_mode(const session_memory& memory, recorder::recording mode) {
  memory->mode.store(static_cast<std::uint32_t>(mode), std::memory_order_relaxed);
}

void end_recording(const session_memory& memory, session_reader& reader) {
  set_mode(memory, recorder::recording::over);
  reader.recording_is_over();
}

// A program that we started, or one that ran already.
class recorded_program {
 public:
  recorded_program(const record_options& options, const session_memory& memory,
                   const record_hooks& hooks)
      : memory_(memory), command_(options.command) {
    if (options.pid != 0) {
      running_.emplace(options.pid, options.library, hooks.waits_long);
    } else {
      started_.emplace(options.command, environment(options, memory));
    }
  }

  std::vector<std::string> command() const { return running_ ? running_->command() : command_; }
  pid_t pid() const { return running_ ? running_->pid() : started_->pid(); }
  pid_t own_child() const { return running_ ? 0 : started_->pid(); }
  void begin() {
    if (running_) return running_->begin(memory_);
    started_->let_go();
  }
  bool ended() { return running_ ? !running_->is_there() : started_->ended(); }
  end_info end(std::uint64_t time) const {
    if (running_) return {time, end_kind::unknown, 0};
    return {time, started_->exited() ? end_kind::exited : end_kind::killed,
            static_cast<std::uint32_t>(started_->status())};
  }
  void look_for_modules() {
    if (running_) running_->look_for_modules(memory_);
  }
  // Does nothing if it has ended.
  void let_be(record_summary& out) {
    if (!running_) return;
    try {
      running_->end();
    } catch (const std::runtime_error& problem) {
      if (running_->is_there()) out.not_let_be = problem.what();
    }
  }
  // Call it when everything is read.
  void give_back_memory() const {
    if (running_) memory_.give_back();
  }
  void describe(record_summary& out) const {
    if (running_) return;
    out.processor_seconds = started_->processor_seconds();
    out.exited = started_->exited();
    out.status = started_->status();
  }

 private:
  const session_memory& memory_;
  std::vector<std::string> command_;
  std::optional<attached_recorder> running_;
  std::optional<child_program> started_;
};

// Once the program was waited for, an interrupt is ours: until that is known, none comes.
bool look_whether_it_ended(recorded_program& program, interrupt_passer& interrupted) {
  sigset_t held, before;
  sigemptyset(&held);
  for (const int each : passed_on) sigaddset(&held, each);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  const bool has_ended = program.ended();
  if (has_ended) interrupted.end();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return has_ended;
}

}  // namespace

record_summary record(const record_options& options, const record_hooks& hooks) {
  const session_memory memory;
  const ticks_clock clock;
  memory->options = options.session;
  memory->stable_ticks = clock.stable();
  memory->ticks_of_microsecond = clock.ticks_of_microsecond();
  const bool later = options.paused || options.delay > 0 || options.skips != 0;
  set_mode(memory, later ? recorder::recording::not_yet : recorder::recording::on);

  const process::adoption adopted(options.wait || options.ends_all);
  recorded_program program(options, memory, hooks);
  memory->first_pid = static_cast<std::uint32_t>(program.pid());
  session_reader reader(memory, clock,
                        {options.output, static_cast<std::uint64_t>(program.pid()),
                         program.command(), later || options.pid != 0},
                        hooks.finishing);
  reader.open_first();
  interrupt_passer interrupted(program.own_child());
  const signal_guard guard(*memory);
  const auto seconds = [&] { return static_cast<double>(clock.now()) / 1e9; };
  try {
    program.begin();
  } catch (...) {
    std::error_code ignored;
    if (options.pid != 0) std::filesystem::remove(reader.first_file(), ignored);
    throw;
  }
  const double began = seconds();  // not before a process that runs has the recorder

  constexpr double never = std::numeric_limits<double>::infinity();
  double start_at = options.delay > 0 && !options.paused ? began + options.delay : never;
  std::uint64_t skips = options.skips;
  double stop_at =
      options.duration > 0 && !options.paused ? began + options.delay + options.duration : never;
  double end_at = options.longest > 0 ? began + options.longest : never;
  int end_by = SIGTERM;
  bool cut = false;
  double reap_at = began;
  double progress_at = began + progress_seconds;
  double flush_at = began + flush_seconds;
  double modules_at = began + modules_seconds;
  for (bool over = false; !over;) {
    const std::uint32_t seen = memory->doorbell.load(std::memory_order_seq_cst);
    const bool has_ended = look_whether_it_ended(program, interrupted);
    over = has_ended && !(options.wait && adopted.has_living());
    if (interrupted.is_ours()) over = true;
    const bool more = reader.take();
    memory->heartbeat.fetch_add(1, std::memory_order_relaxed);
    const double now = seconds();
    interrupted.look(now);
    reader.sample_resident();
    if (has_ended) reader.end_first(program.end(clock.now()));
    if (now >= modules_at) {
      program.look_for_modules();
      modules_at = now + modules_seconds;
    }
    if (now >= reap_at) {
      reader.reap();
      reap_at = now + reap_seconds;
    }
    if (now >= flush_at) {
      reader.flush();
      flush_at = now + flush_seconds;
    }
    if (skips != 0 && memory->skipped.load() >= skips) {
      skips = 0;
      start_at = now;
    }
    if (now >= start_at) {
      set_mode(memory, recorder::recording::on);
      start_at = never;
    }
    if (now >= stop_at) {
      end_recording(memory, reader);
      stop_at = never;
    }
    if (options.most_events != 0 && reader.totals().events >= options.most_events) {
      end_recording(memory, reader);
      if (options.pid != 0) over = true;
    }
    if (now >= end_at && options.pid != 0) {
      over = true;
    } else if (now >= end_at && !over) {
      reader.signal_all(end_by);
      if (!has_ended) kill(program.own_child(), end_by);
      cut = true;
      end_by = SIGKILL;
      end_at = now + patience_seconds;
    }
    if (now >= progress_at && hooks.progress) {
      hooks.progress(reader.totals(), now - began);
      progress_at = now + progress_seconds;
    }
    if (!more && !over) {
      memory->reader_waits.store(1, std::memory_order_seq_cst);
      recorder::wait_for_change(memory->doorbell, seen, longest_sleep_ms);
      memory->reader_waits.store(0, std::memory_order_seq_cst);
    }
  }
  if (options.ends_all && interrupts != 0) adopted.end_all();
  record_summary out;
  // They are counted before the end: a daemon may end while we finish the traces.
  reader.reap();
  const std::uint32_t living = memory.processes_told();
  set_mode(memory, recorder::recording::over);
  if (!program.ended()) program.let_be(out);
  reader.finish(options.pid == 0 && !cut);
  program.give_back_memory();
  out.processes = reader.done();
  out.seconds = seconds() - began;
  program.describe(out);
  out.cut = cut;
  out.interrupted = interrupts != 0;
  out.not_followed = not_followed(*memory);
  for (const std::string& file : reader.with_own_malloc()) {
    program_check& found = out.not_followed.emplace_back();
    found.what = obstacle::own_malloc;
    found.file = file;
  }
  // One that has ended without another operation was recorded whole.
  const std::uint32_t still_living = memory.processes_told();
  out.unrecorded = memory->unrecorded.load();
  if (!cut) out.left_running = out.unrecorded != 0 ? living : still_living;
  out.more_not_followed = memory->more_unfollowed.load();
  return out;
}

}  // namespace mallard::profile
