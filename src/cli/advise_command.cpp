// mallard advise
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "advise/advice_text.hpp"
#include "advise/program_advice.hpp"
#include "cli/advice_screen.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/document.hpp"
#include "cli/driven_program.hpp"
#include "cli/interrupt.hpp"
#include "cli/newest_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/phase_line.hpp"
#include "cli/profile_text.hpp"
#include "cli/terminal.hpp"
#include "cli/usage_error.hpp"
#include "lab/measuring/build.hpp"
#include "profile/name_pattern.hpp"
#include "profile/trace/trace_reader.hpp"
#include "report/report.hpp"
#include "watch/watched_process.hpp"
#include "whatif/recorded_run.hpp"

namespace mallard::cli {
namespace {

using advise::advice_report;

struct advise_request {
  std::vector<std::string> words;  // a trace, or a command
  load_options load;
  std::string metric;  // of a number that the load, or the program, writes
  bool quick = false;
  double within = 0;  // seconds, as --quick; 0: what that says
  bool json = false;
  bool markdown = false;
  bool no_try = false;
  bool once = false;
  std::optional<unsigned> asked_pid;
  pid_t pid = 0;       // of a process that runs already, instead of the words
  double seconds = 0;  // after which the program is ended, or the process let be; 0: never
  std::string keep;    // where the trace goes
  std::string page;
};

void print(const advise_request& request, const advice_report& report, colour_choice choice) {
  if (request.json) {
    fmt::print("{}\n", advise::to_json(report).dump(
                           2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (request.markdown) {
    fmt::print("{}", advise::to_markdown(report));
  } else {
    print_advice_screen(report, use_colour(choice, STDOUT_FILENO));
  }
}

// The page of the trace with the verdict and the advice first.
void write_page(const advise_request& request, const std::string& trace,
                const advice_report& report) {
  if (request.page.empty()) return;
  report::write_trace_report(trace, request.page, advise::to_json(report), was_interrupted);
  if (!request.json && !request.markdown) fmt::print("\nPage: {}\n", request.page);
}

int finish(const advise_request& request, profile::trace_reader& trace, const std::string& file,
           const advice_report& report, colour_choice choice) {
  if (was_interrupted()) return interrupted;
  for (const std::string& warning : lab::build_warnings()) {
    fmt::print(stderr, "mallard: warning: {}: this advice is not worth following\n", warning);
  }
  print(request, report, choice);
  write_page(request, file, report);
  warn(trace.problems());
  return success;
}

int advise_trace(const advise_request& request, profile::trace_reader& trace,
                 const std::string& path, colour_choice choice) {
  std::optional<phase_line> phases(std::in_place);
  phases->begin("reading the recording, and replaying it under each strategy", 0);
  advice_report report = advise::advice_on_trace(trace, request.quick, was_interrupted);
  phases.reset();
  report.trace = request.pid == 0 ? path : request.keep;
  if (!request.json && !request.markdown) {
    report.remarks.push_back("mallard advise -- COMMAND tries it on the program");
  }
  return finish(request, trace, path, report, choice);
}

int advise_program(const advise_request& request, colour_choice choice) {
  const std::string obstacle = whatif::look_at_program(request.words.front());
  if (!obstacle.empty()) throw usage_error(obstacle);
  advise::program_request wanted;
  wanted.command = request.words;
  wanted.runs = driven(request.words, request.load);
  wanted.metric = request.metric;
  wanted.is_driven = !request.load.load.empty();
  wanted.ends_after = request.seconds;
  wanted.quick = request.quick;
  wanted.within = request.within;
  wanted.tries = !request.no_try;
  wanted.once = request.once;
  wanted.output_aside = request.json || request.markdown;
  wanted.keep = request.keep;
  std::optional<phase_line> phases(std::in_place);
  wanted.begins = [&](std::string_view phase, double seconds) { phases->begin(phase, seconds); };
  wanted.runs_long = [] {
    fmt::print(stderr,
               "mallard: the program has run for 30 s; the advice begins when it ends (--load "
               "drives and ends a server)\n");
  };
  wanted.interrupted = was_interrupted;
  advise::program_advice advice(std::move(wanted));
  std::optional<advice_report> report;
  try {
    report = advice.give();
  } catch (const advise::nothing_requested& answer) {
    phases.reset();
    const advice_report leave = advise::nothing_to_gain(request.words, answer.what());
    if (request.json || request.markdown) {
      print(request, leave, choice);
    } else {  // its figures would be zeroes
      fmt::print("{}\n", leave.advices.front().what);
    }
    return success;
  }
  phases.reset();
  if (!report) return interrupted;
  return finish(request, advice.trace(), advice.trace_file(), *report, choice);
}

// By replay alone: another run of it is nothing that we could start.
int advise_process(const advise_request& request, colour_choice choice) {
  watch::watched_process::refuse_attached(request.pid);
  const whatif::temporary_folder folder;
  profile::record_options options;
  options.pid = request.pid;
  options.longest = request.seconds;
  std::optional<phase_line> phases(std::in_place);
  phases->begin(fmt::format("recording process {}", request.pid), request.seconds);
  const whatif::recorded_run run = whatif::record_into(folder.path(), options);
  phases.reset();
  if (run.summary.interrupted) return interrupted;
  if (run.trace.empty()) throw std::runtime_error(run.remark);
  if (!request.keep.empty()) {
    copy_to(request.keep, run.trace);
  }
  return advise_trace(request, *open_trace(run.trace), run.trace, choice);
}

template <class Work>
int advise_until_interrupted(const Work& work) {
  const int status = until_interrupted(work);
  if (status == interrupted) fmt::print(stderr, "mallard: interrupted; no page was written\n");
  return status;
}

int give_advice(const advise_request& request, bool is_command, colour_choice choice) {
  need_regular_file(request.page, "a page");
  need_regular_file(request.keep, "a trace");
  if (!request.page.empty()) expect_writable(request.page, "-o");
  if (!request.keep.empty()) expect_writable(request.keep, "--keep");
  if (request.pid != 0 || is_command) {
    return advise_until_interrupted([&] {
      return request.pid != 0 ? advise_process(request, choice) : advise_program(request, choice);
    });
  }
  if (request.words.size() > 1) throw usage_error("advise takes one trace, or a command after --");
  if (!request.keep.empty()) throw usage_error("--keep is for commands: this is a trace already");
  const std::string& path = request.words.front();
  const auto trace = open_trace(path);
  return advise_until_interrupted([&] { return advise_trace(request, *trace, path, choice); });
}

// Throws usage_error.
void check_time(advise_request& request, bool is_command) {
  constexpr double seconds_of_process = 30;
  constexpr double least_seconds = 15;  // a recording, a page and some runs take as long
  if (request.within != 0) {
    if (!is_command) throw usage_error("--within is for a command after --");
    if (!std::isfinite(request.within) || request.within < least_seconds) {
      throw usage_error(fmt::format("--within takes seconds, {} or more", least_seconds));
    }
    request.quick = true;
  }
  if (!std::isfinite(request.seconds) || request.seconds < 0) {
    throw usage_error("--for takes seconds; 0 means no limit");
  }
  if (request.asked_pid) {
    request.pid = static_cast<pid_t>(*request.asked_pid);
    if (request.pid <= 0) throw usage_error("--pid takes the number of a process");
    if (!request.words.empty()) throw usage_error("advise takes --pid, a trace or a command");
    if (request.seconds == 0) request.seconds = seconds_of_process;
    return;
  }
  if (request.seconds == 0) return;
  if (!is_command) throw usage_error("--for is for --pid, or a command after --");
  if (!request.load.load.empty())
    throw usage_error("--for and --load exclude each other: the load ends the program");
  request.load = load_of_seconds(request.seconds);
}

// Throws usage_error.
void check_metric(advise_request& request, bool is_command) {
  if (request.metric.empty()) return;
  if (!is_command || request.once || request.no_try) {
    throw usage_error(
        "--metric compares runs: it needs a command after --, without --once or --no-try");
  }
  try {
    const profile::line_pattern pattern(request.metric);
  } catch (const std::invalid_argument&) {
    throw usage_error("--metric: '" + request.metric + "' is not a regular expression");
  }
  request.load.shows_load = true;
}

}  // namespace

void add_advise_command(command_parser app, const context& shared) {
  const command_parser command =
      app.add_command("advise",
                      "Find the allocator that makes a program faster, the place for it, and the "
                      "gain; runs the program dozens of times: mallard advise -- COMMAND");
  const auto request = std::make_shared<advise_request>();
  command.add_option("TRACE", request->words,
                     "A trace of `mallard record` (default: the newest here), or -- and a command");
  command.add_flag(
      "--quick", request->quick,
      "Take at most three times the program's time plus 65 s (default: ten times plus five "
      "minutes)");
  command.add_option("--within", request->within,
                     "For a command: like --quick, but in about this many seconds, 15 or more");
  const parser_option json = command.add_flag(
      "--json", request->json, "Print all of it as JSON (" + document("advise.md") + ")");
  command.add_flag("--markdown", request->markdown, "Print Markdown, for a pull request")
      .excludes(json);
  command.add_option("--load", request->load.load,
                     "Drive a server: run this shell command against it each time");
  command.add_option("--ready", request->load.ready,
                     "Begin the load once this shell command succeeds");
  command.add_option(
      "--metric", request->metric,
      "Also compare a number that the load or the program prints, such as a latency: "
      "a regular expression with the number in parentheses; smaller is better");
  command.add_option("--pid", request->asked_pid,
                     "Record the running process with this number for 30 s (see --for) and advise "
                     "from that; the process goes on, and nothing is tried");
  command.add_option(
      "--for", request->seconds,
      "End each run of the program after this many seconds; with --pid, record that long");
  command.add_flag("--no-try", request->no_try,
                   "Replay the recording only; do not run the program again");
  if (shared.has_dashes) request->page = "advice.html";
  command.add_new_file(
      "-o,--output", request->page,
      "Write the page with all figures here (default: advice.html; for a trace, none)");
  command.add_flag("--once", request->once,
                   "Run the program only once, to record it; nothing is timed or tried");
  command.add_new_file("--keep", request->keep, "Keep the command's trace here");
  command.runs([&shared, request] {
    if (!request->load.load.empty() && !shared.has_dashes) {
      throw usage_error("--load is for a command after --");
    }
    if (request->once && !shared.has_dashes) throw usage_error("--once is for a command after --");
    if (!request->load.ready.empty() && request->load.load.empty()) {
      throw usage_error("--ready needs --load: it says when the load begins");
    }
    check_time(*request, shared.has_dashes);
    check_metric(*request, shared.has_dashes);
    if (request->pid == 0) {
      request->words = words_or_newest_trace(request->words, shared.has_dashes);
    }
    return give_advice(*request, shared.has_dashes, shared.colour);
  });
}

}  // namespace mallard::cli
