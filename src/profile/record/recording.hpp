// Purpose: `mallard record`: starts a program with the recorder preloaded, and writes a trace for
// each process of the program.
//
//   record_options options;
//   options.command = {"clang++", "-c", "some.cpp"};
//   const record_summary done = record(options, {});
//
// The program keeps its standard streams, exit status and signals.
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
  pid_t pid = 0;        // a running process to record instead of a command
  std::string library;  // the path of libmallard-record.so
  std::string output;   // for the program itself; empty: a file name made of its name and number
  recorder::session_options session;
  bool paused = false;            // starts when told to
  double delay = 0;               // seconds until it starts
  std::uint64_t skips = 0;        // operations until it starts
  double duration = 0;            // seconds until it ends; 0: with the program
  std::uint64_t most_events = 0;  // ends, or detaches, after about so many; 0: with the program
  // Seconds until its programs are told to end, or a process that ran already is released; 0:
  // never.
  double longest = 0;
  bool wait = false;  // for all processes, not only for the program
  // An interrupt also ends processes of the program that are left when it has ended.
  bool ends_all = false;
};

struct record_hooks {
  std::function<void(const record_totals&, double seconds)> progress;  // some times a second
  std::function<void(trace_writer&)> finishing;                        // before a trace is closed
  // For some time, the process to attach to was at no place that allows it.
  std::function<void()> waits_long = {};
};

struct record_summary {
  std::vector<recorded_process> processes;  // those with events; the program itself first
  double seconds = 0;
  double processor_seconds = 0;  // of the program, with the children that it waited for
  bool cut = false;              // it was told to end
  bool interrupted = false;      // by a signal, which the program got, too
  std::uint64_t unrecorded = 0;  // heap operations after the end of the recording
  // Programs started by recorded ones that could not be recorded, each once; and the number of
  // further ones.
  std::vector<program_check> not_followed;
  std::uint32_t more_not_followed = 0;
  std::string not_let_be;          // why the hooks are still in the attached process
  std::uint32_t left_running = 0;  // processes of the program that ran on unrecorded
  bool exited = true;              // or killed by a signal
  int status = 0;                  // the exit status, or the signal
};

// Records a running process until it ends, is interrupted, or `longest` is over. Otherwise runs the
// program to its end, or until `longest`: then it gets SIGTERM, and a second later SIGKILL. Throws
// std::system_error (or a std::runtime_error with one line) if it cannot be started or nothing can
// be written; the program has not run then.
record_summary record(const record_options& options, const record_hooks& hooks);

}  // namespace mallard::profile
