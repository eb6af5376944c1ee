// Purpose: `mallard record`: starts a program with the recorder's library preloaded, and writes
// what it and its children tell into traces, one for each process.
//
//   record_options options;
//   options.command = {"clang++", "-c", "some.cpp"};
//   const record_summary done = record(options, {});
//
// The program's standard streams, exit status and signals are its own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profile/record/program_check.hpp"
#include "profile/record/session_reader.hpp"
#include "recorder/session.hpp"

namespace mallard::profile {

struct record_options {
  std::vector<std::string> command;
  pid_t pid = 0;        // of a process that runs already, instead of a command
  std::string library;  // the path of libmallard-record.so
  std::string output;   // of the program itself; empty: a name of its own and its number
  recorder::session_options session;
  bool paused = false;            // begins when it is told to
  double delay = 0;               // seconds after which it begins
  double duration = 0;            // seconds after which it ends; 0: with the program
  std::uint64_t most_events = 0;  // it ends after about as many; 0: with the program
  // Seconds after which its programs are told to end, or a process that ran already is let be; 0:
  // never.
  double longest = 0;
  bool wait = false;  // for all processes, not for the program that was started alone
};

struct record_hooks {
  std::function<void(const record_totals&, double seconds)> progress;  // some times a second
  std::function<void(trace_writer&)> finishing;                        // before a trace is closed
  // The process that is to be recorded has been at no place for a while where it can be attached
  // to.
  std::function<void()> waits_long = {};
};

struct record_summary {
  std::vector<recorded_process> processes;  // those that did something; the program itself first
  double seconds = 0;
  double processor_seconds = 0;  // of the program, with the children that it waited for
  bool cut = false;              // it was told to end
  bool interrupted = false;      // SIGINT came, to the program as well if both are of one terminal
  std::uint64_t refused = 0;     // times that a thread could not be recorded
  std::uint64_t unrecorded = 0;  // operations of the heap after the recording was over
  // Programs that the recorded ones have started and that could not be recorded, each once; and how
  // many there may be beside them.
  std::vector<program_check> not_followed;
  std::uint32_t more_not_followed = 0;
  std::string not_let_be;          // why the hooks are still in the process that ran already
  std::uint32_t left_running = 0;  // processes of the program that have not ended
  bool exited = true;              // or killed by a signal
  int status = 0;                  // the exit status, or the signal
};

// Records a process that runs already until it ends, is interrupted, or `longest` is over.
// Else runs the program to its end, or until `longest`: then by SIGTERM, and what lives a second
// later by SIGKILL. Throws std::system_error (or one derived from std::runtime_error with one line)
// when it cannot be started or nothing can be written; then the program has not run.
record_summary record(const record_options& options, const record_hooks& hooks);

}  // namespace mallard::profile
