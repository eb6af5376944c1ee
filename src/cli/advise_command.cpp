// mallard advise
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "advise/advice_text.hpp"
#include "advise/advise.hpp"
#include "advise/plain_time.hpp"
#include "advise/proof.hpp"
#include "advise/time_plan.hpp"
#include "advise/trial.hpp"
#include "cli/advice_screen.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/document.hpp"
#include "cli/driven_program.hpp"
#include "cli/interrupt.hpp"
#include "cli/newest_trace.hpp"
#include "cli/profile_text.hpp"
#include "cli/recorded_run.hpp"
#include "cli/terminal.hpp"
#include "cli/usage_error.hpp"
#include "lab/measuring/build.hpp"
#include "profile/trace/symbolizer.hpp"
#include "profile/trace/trace_reader.hpp"
#include "report/report.hpp"

namespace mallard::cli {
namespace {

using advise::advice_report;

struct advise_request {
  std::vector<std::string> words;  // a trace, or a command
  std::vector<std::string> runs;   // what is run: the command, or what drives it
  load_options load;
  bool quick = false;
  bool json = false;
  bool markdown = false;
  bool no_try = false;
  bool once = false;
  std::string keep;  // where the trace goes
  std::string page;
};

// Of a recording that is longer, the beginning is looked at.
constexpr std::uint64_t most_events = 12'000'000;
constexpr std::uint64_t quick_most_events = 3'000'000;

// Where others use the processors, reading takes as many times longer as the program does.
std::uint64_t most_events_of(const advise_request& request, const advise::plain_time& plain) {
  if (!request.quick) return most_events;
  constexpr double most_slower = 6;
  const whatif::run_figures& run = plain.last;
  const double own = std::max(run.processor_seconds, 1e-3);
  const double slower = run.others_seconds > 0.1 * run.seconds ? run.seconds / own : 1;
  return static_cast<std::uint64_t>(quick_most_events / std::clamp(slower, 1.0, most_slower));
}

void say(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) std::fputs(("mallard: " + text + "\n").c_str(), stderr);
}

// Sends the program's output to standard error, so that it does not land inside the JSON.
class output_to_stderr {
 public:
  explicit output_to_stderr(bool wanted) {
    if (!wanted) return;
    std::fflush(stdout);
    before_ = dup(STDOUT_FILENO);
    if (before_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~output_to_stderr() {
    if (before_ < 0) return;
    dup2(before_, STDOUT_FILENO);
    close(before_);
  }
  output_to_stderr(const output_to_stderr&) = delete;
  output_to_stderr& operator=(const output_to_stderr&) = delete;

 private:
  int before_ = -1;
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

advise::advise_options options_for(const advise_request& request) {
  advise::advise_options options;
  options.interrupted = was_interrupted;
  if (request.quick) {
    options.repetitions = 3;
    options.most_subsystems = 3;
  } else {
    using level = replay::touch_level;
    options.other_levels = {level::walk, level::all, level::none};
  }
  return options;
}

// The page of the trace with the verdict and the advice first.
void write_page(const advise_request& request, const std::string& trace,
                const advice_report& report) {
  if (request.page.empty()) return;
  report::write_trace_report(trace, request.page, advise::to_json(report));
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

// By replay alone. `runs`: how often the program was run for it.
int advise_trace(const advise_request& request, const std::string& path, unsigned runs,
                 colour_choice choice) {
  profile::trace_reader trace(path);
  profile::find_missing_symbols(trace);
  const interrupt_guard guard;
  advise::advise_options options = options_for(request);
  if (request.quick) options.replay_seconds = advise::time_plan(0, 0).replay_seconds(0);
  advice_report report = advise::adviser(trace, options).replayed();
  report.trace = runs == 0 ? path : request.keep;
  report.program_runs = runs;
  if (!request.json && !request.markdown) {
    report.remarks.push_back("mallard advise -- COMMAND tries it on the program");
  }
  advise::settle(report);
  return finish(request, trace, path, report, choice);
}

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

bool is_malloc(const advise::advice& one) {
  return one.from.how == advise::strategy::switch_malloc && advise::can_be_tried(one);
}
bool is_untold(const advise::advice& one) {
  return !one.untold.empty() && advise::can_be_tried(one);
}

// The first of them that is wanted; null: none is.
const advise::advice* find(const advice_report& report, bool (*wanted)(const advise::advice&)) {
  const auto at = std::find_if(report.advices.begin(), report.advices.end(), wanted);
  return at == report.advices.end() ? nullptr : &*at;
}

bool is_best_known(const advice_report& report) {
  return !report.advices.empty() && report.advices.front().tried.has_value();
}

// Until the fastest way is known; nothing where there is no time to compare them all.
bool race(const advise_request& request, whatif::program_runner& runner,
          const advise::time_plan& plan, clock::time_point start, advice_report& report) {
  const std::size_t ways = report.advices.size();
  const double seconds = plan.race_seconds(seconds_since(start), advise::runs_of_a_round(report));
  if (seconds <= 0) return false;
  advise::trial_options trial;
  trial.runner = &runner;
  trial.interrupted = was_interrupted;
  trial.time_budget = seconds;
  trial.last_start = plan.last_start() - seconds_since(start);
  say(fmt::format("trying {} ways on the program, for at most {:.0f} s", ways, seconds));
  advise::race_on_program(report, request.runs, trial);
  return true;
}

// The best are tried; where they do not hold, the next ones are. Those whose gain is not predicted
// are in no order: all of them are, as far as there is time.
void try_the_best(const advise_request& request, whatif::program_runner& runner,
                  const advise::plain_time& plain, clock::time_point start, advice_report& report) {
  advise::trial_options trial;
  trial.runner = &runner;
  trial.interrupted = was_interrupted;
  advise::time_plan quick(plain.seconds, plain.undisturbed, request.quick);
  quick.has_read_in(report.reading_seconds);
  while (!was_interrupted()) {
    const bool known = is_best_known(report);
    trial.races = request.quick;
    trial.wanted = known ? is_untold : advise::can_be_tried;
    const advise::advice* next = find(report, trial.wanted);
    if (next == nullptr) return;
    if (request.quick) {
      advise::trial_plan plan = quick.trial(seconds_since(start), !is_malloc(*next));
      if (plan.most == 0 && !known && find(report, is_malloc) != nullptr) {
        trial.wanted = is_malloc;  // which needs fewer runs
        plan = quick.trial(seconds_since(start), false);
      }
      trial.last_start = quick.last_start() - seconds_since(start);
      if (plan.most == 0 || trial.last_start <= 0) {
        report.remarks.push_back(known ? "time was short: not all were tried on the program whose "
                                         "gain is not predicted"
                                       : "time was short: the best was not tried on the program");
        return;
      }
      trial.most = plan.most;
      trial.repetitions = 9;
      trial.time_budget = plan.seconds_of_rounds;
      trial.as_it_was.reset();
      if (!plan.runs_as_it_is) trial.as_it_was = plain.last;
    }
    say("trying the best on the program");
    advise::try_on_program(report, request.runs, trial);
    advise::drop_what_did_not_hold(report);
  }
}

bool is_pipe(int file) {
  struct stat input{};
  return fstat(file, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was killed by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

// `longest`: seconds after which it is ended; 0: it ends by itself.
recorded_run record_it(const advise_request& request, const advise::plain_time& plain,
                       const std::string& folder, double longest) {
  say("recording");
  const output_to_stderr aside(request.json || request.markdown);
  recorded_run run = record_into(folder, request.runs, most_events_of(request, plain), longest);
  if (run.trace.empty()) throw std::runtime_error(run.remark);
  if (!request.keep.empty()) {
    std::filesystem::copy_file(run.trace, request.keep,
                               std::filesystem::copy_options::overwrite_existing);
  }
  return run;
}

// Tells whoever waits that the program has not ended yet, once.
class long_run_notice {
 public:
  long_run_notice()
      : teller_([this](const std::stop_token& over) {
          constexpr std::chrono::seconds long_run(30);
          std::unique_lock lock(mutex_);
          if (waiting_.wait_for(lock, over, long_run, [&] { return over.stop_requested(); }))
            return;
          fmt::print(
              stderr,
              "mallard: the program has run for 30 s, and advice begins when it ends; --load "
              "drives a server, and ends it\n");
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any waiting_;
  std::jthread teller_;
};

advise::plain_time time_it(const advise_request& request, whatif::program_runner& runner) {
  const std::string& program = request.words.front();
  advise::plain_time plain;
  try {
    const long_run_notice notice;
    plain = advise::time_program(runner, 1);
  } catch (const std::system_error& problem) {
    throw std::runtime_error(program + ": " + problem.code().message());
  }
  if (!request.load.load.empty() && plain.status != 0) {
    throw std::runtime_error(program + ": the load failed, or the program " +
                             how_it_ended(plain.status) + " before it was over");
  }
  return plain;
}

int advise_program(const advise_request& request, colour_choice choice) {
  const clock::time_point start = clock::now();
  say("timing the program as it is");
  whatif::program_runner runner(request.runs);  // while this process is small
  const advise::plain_time plain = time_it(request, runner);
  if (was_interrupted()) return interrupted;
  const temporary_folder folder;
  advise::time_plan plan(plain.seconds, plain.undisturbed, request.quick);
  const recorded_run run =
      record_it(request, plain, folder.path(),
                request.quick ? plan.recording_seconds(seconds_since(start)) : 0);
  if (run.summary.interrupted) return interrupted;
  say("reading the recording");
  profile::trace_reader trace(run.trace);
  advise::advise_options options = options_for(request);
  const std::uint64_t events = main_trace(run.summary)->events;
  options.program_seconds = plain.processor_seconds;
  if (request.quick) options.replay_seconds = plan.replay_seconds(seconds_since(start));
  if (!request.quick || plan.times_again()) {
    options.program_seconds_again = [&] {
      return advise::time_program(runner, 1).processor_seconds;
    };
  }
  options.recorded_share =
      static_cast<double>(events) / static_cast<double>(events + run.summary.unrecorded);
  if (run.summary.cut && plain.processor_seconds > 0) {
    options.recorded_share *=
        std::clamp(run.summary.processor_seconds / plain.processor_seconds, 0.01, 1.0);
  }
  advise::adviser adviser(trace, options);
  advice_report report = adviser.to_try();
  plan.has_read_in(report.reading_seconds);
  const bool raced = !request.no_try && race(request, runner, plan, start, report);
  if (was_interrupted()) return interrupted;
  if (raced && !request.quick) {
    constexpr double to_explain = 60;
    options.replay_seconds = to_explain;
    say("replaying");
    adviser.explain(report);
  }
  if (!raced) {
    say("replaying");
    report = adviser.replayed();
  }
  report.trace = request.keep;
  report.command = request.words;
  if (plain.status != 0) report.remarks.push_back("the program " + how_it_ended(plain.status));
  if (run.summary.cut) {
    report.remarks.push_back(fmt::format(
        "time was short: its recorded run was ended after {:.0f} s", run.summary.seconds));
  }
  if (is_pipe(STDIN_FILENO)) {
    report.remarks.push_back(
        "its input is a pipe, which only the recorded run could read: give it as a file (< FILE)");
  }
  if (!request.no_try && !raced) try_the_best(request, runner, plain, start, report);
  advise::settle(report);
  report.program_runs = runner.runs() + 1;  // and once recorded
  return finish(request, trace, run.trace, report, choice);
}

int advise_once(const advise_request& request, colour_choice choice) {
  const temporary_folder folder;
  const recorded_run run = record_it(request, {}, folder.path(), 0);
  if (run.summary.interrupted) return interrupted;
  say("replaying");
  return advise_trace(request, run.trace, 1, choice);
}

// Ctrl-C also ends the processes that run the program: what fails for that is no error.
int advise_command(const advise_request& request, colour_choice choice) {
  const std::string obstacle = look_at_program(request.words.front());
  if (!obstacle.empty()) throw usage_error(obstacle);
  const interrupt_guard guard;
  try {
    return request.once ? advise_once(request, choice) : advise_program(request, choice);
  } catch (const std::exception&) {
    if (was_interrupted()) return interrupted;
    throw;
  }
}

int give_advice(const advise_request& request, bool is_command, colour_choice choice) {
  if (!request.page.empty()) need_file(request.page, "a page");
  std::error_code not_there;
  if (std::filesystem::exists(request.page, not_there) &&
      !std::filesystem::is_regular_file(request.page, not_there)) {
    throw usage_error(request.page + ": not a regular file, which a page has to be");
  }
  if (is_command) return advise_command(request, choice);
  if (request.words.size() > 1) throw usage_error("advise takes one trace, or a command after --");
  if (!request.keep.empty()) throw usage_error("--keep is for commands: there is a trace already");
  return advise_trace(request, request.words.front(), 0, choice);
}

}  // namespace

void add_advise_command(command_parser app, const context& shared) {
  const command_parser command = app.add_command(
      "advise",
      "Which allocator would make a program faster, where, and by how much; runs it dozens of "
      "times: mallard advise -- COMMAND");
  const auto request = std::make_shared<advise_request>();
  command.add_option("TRACE", request->words,
                     "What `mallard record` wrote (default: the newest here), or -- and a command");
  command.add_flag(
      "--quick", request->quick,
      "In three times the program's time plus a minute; else in ten times and five minutes");
  const parser_option json = command.add_flag("--json", request->json,
                                              "All of it, as JSON (" + document("advise.md") + ")");
  command.add_flag("--markdown", request->markdown, "For a pull request").excludes(json);
  command.add_option("--load", request->load.load,
                     "Drives a server: a shell's command that is run against it each time");
  command.add_option("--ready", request->load.ready,
                     "A shell's command that succeeds once the server takes the load");
  command.add_flag("--no-try", request->no_try, "Replay only: the program is not run again");
  command.add_new_file("-o,--output", request->page,
                       "The page, with all figures (advice.html; for a trace, none)");
  command.add_flag("--once", request->once,
                   "Run the program a single time, to record it: nothing is timed or tried");
  command.add_new_file("--keep", request->keep, "The command's trace, to look at");
  command.runs([&shared, request] {
    if (request->page.empty() && shared.has_dashes) request->page = "advice.html";
    if (!request->load.load.empty() && !shared.has_dashes) {
      throw usage_error("--load is for a command after --");
    }
    if (request->once && !shared.has_dashes) throw usage_error("--once is for a command after --");
    if (!request->load.ready.empty() && request->load.load.empty()) {
      throw usage_error("--ready says when the load begins: --load is missing");
    }
    request->words = words_or_newest_trace(request->words, shared.has_dashes);
    request->runs = driven(request->words, request->load);
    return give_advice(*request, shared.has_dashes, shared.colour);
  });
}

}  // namespace mallard::cli
