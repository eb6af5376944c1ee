#include "advise/program_advice.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "advise/advice_text.hpp"
#include "advise/proof.hpp"
#include "advise/trial.hpp"
#include "base/units.hpp"
#include "process/adoption.hpp"
#include "process/process.hpp"
#include "process/repeatable_input.hpp"
#include "profile/trace/symbolizer.hpp"

namespace mallard::advise {
namespace {

// Only the beginning of a longer recording is looked at.
constexpr std::uint64_t most_events = 12'000'000;
constexpr std::uint64_t quick_most_events = 3'000'000;

// On a busy machine reading takes as many times longer as the program does.
std::uint64_t most_events_of(bool quick, const plain_time& plain) {
  if (!quick) return most_events;
  constexpr double most_slower = 6;
  const whatif::run_figures& run = plain.last;
  const double own = std::max(run.processor_seconds, 1e-3);
  const double slower = run.others_seconds > 0.1 * run.seconds ? run.seconds / own : 1;
  return static_cast<std::uint64_t>(quick_most_events / std::clamp(slower, 1.0, most_slower));
}

// While it lives, standard output goes to another file; -1: it does not.
class output_elsewhere {
 public:
  explicit output_elsewhere(int file) {
    if (file < 0) return;
    std::fflush(stdout);
    before_ = dup(STDOUT_FILENO);
    if (before_ >= 0) dup2(file, STDOUT_FILENO);
  }
  ~output_elsewhere() {
    if (before_ < 0) return;
    dup2(before_, STDOUT_FILENO);
    close(before_);
  }
  output_elsewhere(const output_elsewhere&) = delete;
  output_elsewhere& operator=(const output_elsewhere&) = delete;

 private:
  int before_ = -1;
};

// Tells once that the program has not ended yet.
class long_run_notice {
 public:
  explicit long_run_notice(const std::function<void()>& tell)
      : teller_([this, &tell](const std::stop_token& over) {
          constexpr std::chrono::seconds long_run(30);
          std::unique_lock lock(mutex_);
          const auto ended = [&] { return over.stop_requested(); };
          if (!waiting_.wait_for(lock, over, long_run, ended) && tell) tell();
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any waiting_;
  std::jthread teller_;
};

advise_options options_for(bool quick, bool (*interrupted)()) {
  advise_options options;
  options.interrupted = interrupted;
  if (quick) {
    options.repetitions = 3;
    options.most_subsystems = 3;
  } else {
    using level = replay::touch_level;
    options.other_levels = {level::walk, level::all, level::none};
  }
  return options;
}

bool is_malloc(const advice& one) {
  return one.from.how == strategy::switch_malloc && can_be_tried(one);
}
bool is_untold(const advice& one) {
  return !one.untold.empty() && can_be_tried(one);
}

// The first of them that is wanted; null: none is.
const advice* find(const advice_report& report, bool (*wanted)(const advice&)) {
  const auto at = std::find_if(report.advices.begin(), report.advices.end(), wanted);
  return at == report.advices.end() ? nullptr : &*at;
}

// That a program in C++ could be given.
bool has_resource(const advice_report& report) {
  return std::any_of(report.advices.begin(), report.advices.end(), [](const advice& one) {
    return one.from.how != strategy::switch_malloc && one.from.where.is_cpp && can_be_tried(one);
  });
}

// For lack of time.
template <class Goes>
void set_aside(advice_report& report, Goes&& goes, const char* why) {
  for (const advice& one : report.advices) {
    if (goes(one)) report.others.push_back({one.from, {}, {}, why});
  }
  std::erase_if(report.advices, goes);
}

bool is_resource(const advice& one) {
  return one.from.how != strategy::switch_malloc;
}
bool is_rarer_pool(const advice& one) {
  return one.from.how == strategy::multipool_on_monotonic ||
         one.from.how == strategy::adaptive_pool;
}

// By hand, another one was nearly always as fast: see the tables of docs/advise.md. The first of
// these groups is given up first.
std::array<std::function<bool(const advice&)>, 4> seldom_best(const advice_report& report) {
  std::set<std::string> have_another;  // that stays
  std::set<std::string> have_arena;
  std::set<std::string> mallocs;
  for (const advice& one : report.advices) {
    const std::string& place = one.from.where.subsystem;
    if (!is_resource(one)) {
      mallocs.insert(one.from.malloc);
    } else if (one.from.how != strategy::heap && !is_rarer_pool(one)) {
      have_another.insert(place);
    }
    if (one.from.how == strategy::monotonic) have_arena.insert(place);
  }
  const bool has_usual = mallocs.contains("mallard") || mallocs.contains("mimalloc");
  return {is_rarer_pool,
          [have_another](const advice& one) {
            return one.from.how == strategy::heap &&
                   have_another.contains(one.from.where.subsystem);
          },
          [has_usual](const advice& one) {
            return has_usual && !is_resource(one) && one.from.malloc != "mallard" &&
                   one.from.malloc != "mimalloc";
          },
          [have_arena](const advice& one) {
            return is_resource(one) && one.from.how != strategy::monotonic &&
                   have_arena.contains(one.from.where.subsystem);
          }};
}

// All but the first resource and the first malloc.
std::function<bool(const advice&)> behind_the_first(const advice_report& report) {
  const advice* const malloc = find(report, is_malloc);
  const advice* const resource =
      find(report, [](const advice& one) { return is_resource(one) && one.from.where.is_cpp; });
  const auto name_of_first = [](const advice* one) {
    return one == nullptr ? std::string() : name_of(one->from);
  };
  return [names = std::array{name_of_first(malloc), name_of_first(resource)}](const advice& one) {
    return std::find(names.begin(), names.end(), name_of(one.from)) == names.end();
  };
}

bool is_best_known(const advice_report& report) {
  return !report.advices.empty() && report.advices.front().tried.has_value();
}

}  // namespace

program_advice::program_advice(program_request request)
    : request_(std::move(request)), start_(std::chrono::steady_clock::now()) {}

void program_advice::begin(std::string_view phase, double seconds) const {
  if (request_.begins) request_.begins(phase, seconds);
}

double program_advice::passed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::optional<advice_report> program_advice::give() {
  try {
    return request_.once ? give_once() : give_tried();
  } catch (const profile::reading_interrupted&) {
    return std::nullopt;
  }
}

std::optional<advice_report> program_advice::give_tried() {
  has_input_ = process::make_input_repeatable(request_.interrupted, [this] {
    begin("reading standard input to its end, since each run needs it", 0);
  });
  if (was_interrupted()) return std::nullopt;
  runner_.emplace(request_.runs, request_.metric, request_.interrupted);  // while we are small
  time_it();
  if (was_interrupted()) return std::nullopt;
  sample_it();
  if (was_interrupted()) return std::nullopt;
  plan_.emplace(plain_.seconds, plain_.undisturbed, request_.quick, request_.within);
  const double longest = request_.quick ? plan_->recording_seconds(passed()) : 0;
  if (!record(longest)) return std::nullopt;
  find_whether_runs_compare();
  if (!record_its_middle(longest) || was_interrupted()) return std::nullopt;
  begin("reading the recording", 0);
  trace_.emplace(run_.trace);
  trace_->interrupted_by(request_.interrupted);
  options_ = options();
  adviser adviser(*trace_, options_);
  advice_report report = adviser.to_try(candidates_of_middle());
  plan_->has_read_in(report.reading_seconds);
  const bool tries = request_.tries && not_compared_.empty();
  const bool raced = tries && race(report);
  if (was_interrupted()) return std::nullopt;
  if (raced && !request_.quick) {
    options_.replay_seconds = 60;  // for the page alone
    begin("replaying the recording, for the page", options_.replay_seconds);
    adviser.explain(report);
  }
  if (!raced && request_.quick && !plan_->can_replay(passed())) {
    report.remarks.emplace_back("time was short: nothing was replayed");
  } else if (!raced) {
    begin("replaying the recording under each strategy", options_.replay_seconds);
    report = adviser.replayed();
  }
  add_remarks(report);
  if (tries && !raced) try_the_best(report);
  settle(report);
  report.program_runs = runner_->runs() + 1;  // and once recorded
  if (was_interrupted()) return std::nullopt;
  return report;
}

std::vector<candidate> program_advice::candidates_of_middle() const {
  if (!middle_) return {};
  profile::trace_reader trace(middle_->trace);
  trace.interrupted_by(request_.interrupted);
  if (trace.event_count() == 0 || trace.stacks().size() <= 1) return {};
  return adviser(trace, options_).candidates();
}

whatif::heap_looks program_advice::looks() const {
  return samples_ ? sampler_->looks() : whatif::heap_looks();
}

std::optional<advice_report> program_advice::give_once() {
  if (!record(0)) return std::nullopt;
  begin("replaying the recording under each strategy", 0);
  trace_.emplace(run_.trace);
  advice_report report =
      advice_on_trace(*trace_, request_.quick, request_.interrupted, request_.replayer);
  report.trace = request_.keep;
  report.program_runs = 1;
  if (was_interrupted()) return std::nullopt;
  return report;
}

void program_advice::time_it() {
  sampler_.emplace();
  begin("timing the program as it is", 0);
  constexpr double of_all = 0.5;  // the rest is for a recording and what follows it
  const double longest = of_all * request_.within;
  const std::string& program = request_.command.front();
  try {
    const long_run_notice notice(request_.runs_long);
    plain_ = time_program(*runner_, 1, sampler_->environment(), longest);
  } catch (const std::system_error& problem) {
    throw std::runtime_error(program + ": " + problem.code().message());
  }
  if (whatif::heap_sampler::has_killed(plain_.status)) {
    samples_ = false;
    plain_ = time_program(*runner_, 1, {}, longest);
  }
  if (was_interrupted()) return;
  if (plain_.last.took_too_long) {
    throw std::runtime_error(fmt::format(
        "{}: {} after {:.3g} s, and --within {:.3g} needs its time for more than one run: {}",
        program, request_.is_driven ? "its load had not ended" : "it had not ended", longest,
        request_.within,
        request_.is_driven ? "give it a shorter load, or more time; perhaps --ready never succeeded"
                           : "give it less work, or more time"));
  }
  if (!request_.metric.empty() && !std::isfinite(plain_.metric)) {
    throw std::runtime_error(
        fmt::format("{}: --metric '{}' finds no number in its output", program, request_.metric));
  }
  if (request_.is_driven && plain_.status != 0) {
    const bool is_ours = WIFEXITED(plain_.status) && WEXITSTATUS(plain_.status) == 1;
    throw std::runtime_error(
        fmt::format("{}: the load failed, or the program {} before the load was over", program,
                    is_ours ? "ended" : process::describe_end(plain_.status)));
  }
}

profile::record_options program_advice::recording(double longest) const {
  profile::record_options options;
  options.command = request_.runs;
  options.most_events =
      request_.most_events != 0 ? request_.most_events : most_events_of(request_.quick, plain_);
  options.longest = longest;
  return options;
}

// A program's start is not its work. If the recording holds no more than that, as many operations
// from its middle on tell of ways that the start has not. False when it was interrupted.
bool program_advice::record_its_middle(double longest) {
  constexpr double enough = 0.5;
  constexpr double of_the_run = 0.5;
  constexpr std::size_t usual_runs = 8;  // of a round
  const double takes = 2 * plain_.seconds;
  const bool has_time = !request_.quick || plan_->race_seconds(passed() + takes, usual_runs) > 0;
  if (recorded_share() >= enough || !has_time) return true;
  begin("recording the program again, from its middle on", longest);
  profile::record_options options = recording(longest);
  const auto events = static_cast<double>(whatif::main_trace(run_.summary)->events);
  options.skips = static_cast<std::uint64_t>(of_the_run * events / recorded_share());
  lseek(STDIN_FILENO, 0, SEEK_SET);  // a file is read from its start again
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  {
    const output_elsewhere aside(nowhere);
    middle_ = record_into(folder_of_middle_.emplace(), options);
  }
  if (nowhere >= 0) close(nowhere);
  if (middle_->summary.interrupted) return false;
  const profile::recorded_process* const main = whatif::main_trace(middle_->summary);
  if (middle_->trace.empty() || main == nullptr || main->events == 0) middle_.reset();
  return true;
}

double program_advice::recorded_share() const {
  double events = 0;  // what was not recorded is of all processes, too
  for (const profile::recorded_process& one : run_.summary.processes) {
    events += static_cast<double>(one.events);
  }
  const double share = events / (events + static_cast<double>(run_.summary.unrecorded));
  if (!run_.summary.cut || plain_.processor_seconds <= 0) return share;
  return share * std::clamp(run_.summary.processor_seconds / plain_.processor_seconds, 0.01, 1.0);
}

// Until the runs that were timed, and these, tell the heap's share of its time.
void program_advice::sample_it() {
  if (!samples_) return;
  whatif::sampling_limits limits;
  constexpr double of_all = 0.15;
  if (request_.within > 0) limits.seconds = std::min(limits.seconds, of_all * request_.within);
  if (plain_.seconds > limits.seconds) return;  // the run that was timed was sampled, too
  begin("sampling the program as it is, for the heap's share of its time",
        limits.seconds + plain_.seconds);
  sampler_->go_on(*runner_, limits);
}

// Runs of which the work differs say nothing of an allocator, nor do those of which the time is the
// same whatever they do.
void program_advice::find_whether_runs_compare() {
  constexpr double nearly = 0.9;
  const profile::record_summary& recorded = run_.summary;
  const bool ended_alike =
      recorded.exited ? WIFEXITED(plain_.status) && WEXITSTATUS(plain_.status) == recorded.status
                      : !WIFEXITED(plain_.status);
  if (!recorded.cut && !ended_alike) {
    not_compared_ = fmt::format(
        "it {}, and the recorded run did not{}", process::describe_end(plain_.status),
        isatty(STDIN_FILENO) != 0 ? ": only that one had the terminal; pass a file (< FILE)" : "");
  } else if (request_.ends_after > 0 && request_.metric.empty() &&
             plain_.processor_seconds >= nearly * plain_.undisturbed) {
    not_compared_ =
        "each run takes all of its time (--for), whatever the allocator: give the program work "
        "that ends, or --metric a number that it prints";
  }
}

// Other runs follow: what this one leaves running would disturb them.
whatif::recorded_run program_advice::record_into(const whatif::temporary_folder& folder,
                                                 const profile::record_options& options) const {
  const process::adoption adopted(!request_.once);
  whatif::recorded_run out = whatif::record_into(
      folder.path(), options, samples_, request_.is_driven ? request_.command.front() : "");
  adopted.end_all();
  return out;
}

// `longest`: seconds after which it is ended; 0: it ends by itself. False when it was interrupted.
bool program_advice::record(double longest) {
  begin("recording the program", longest);
  const output_elsewhere aside(request_.output_aside ? STDERR_FILENO : -1);
  run_ = record_into(folder_, recording(longest));
  if (run_.requested_nothing) throw nothing_requested(run_.remark);
  if (run_.trace.empty()) throw std::runtime_error(run_.remark);
  if (!request_.keep.empty()) {
    std::filesystem::copy_file(run_.trace, request_.keep,
                               std::filesystem::copy_options::overwrite_existing);
  }
  return !run_.summary.interrupted;
}

advise_options program_advice::options() {
  advise_options out = options_for(request_.quick, request_.interrupted);
  out.program = request_.replayer;
  out.program_seconds = plain_.processor_seconds;
  if (samples_) out.heap = sampler_->share();
  if (request_.quick) out.replay_seconds = plan_->replay_seconds(passed());
  if (!request_.quick || plan_->times_again()) {
    out.program_seconds_again = [this] { return time_program(*runner_, 1).processor_seconds; };
  }
  out.recorded_share = recorded_share();
  return out;
}

// Until the fastest way is known; false where there is no time to compare them all.
bool program_advice::race(advice_report& report) {
  const double operations = static_cast<double>(whatif::main_trace(run_.summary)->events) /
                            std::max(1e-3, recorded_share());
  trial_options trial;
  double seconds = 0;
  const auto fits = [&] {
    seconds = plan_->race_seconds(passed(), runs_of_a_round(report, trial.with_ideal));
    return seconds > 0;
  };
  const auto seldom = seldom_best(report);
  const auto give_up = [&](const std::function<bool(const advice&)>& group) {
    set_aside(report, group, "left out for lack of time: it is seldom the best");
  };
  if (!plan_->has_time_for(passed(), runs_of_a_round(report), operations)) give_up(seldom[0]);
  trial.with_ideal = fits();
  for (std::size_t i = 1; i < seldom.size() && has_resource(report) && !fits(); ++i) {
    give_up(seldom[i]);
  }
  if (has_resource(report) && !fits())
    set_aside(report, behind_the_first(report), "time was short");
  if (!fits()) {
    // One run of each malloc says more than replays of it; resources need more runs.
    if (has_resource(report) && plan_->can_try_after_replays(passed())) return false;
    // There may be time for rounds of them, or of the first, beside the program as it is.
    const auto has_time_for = [&](std::size_t mallocs) {
      trial.as_it_was.reset();
      seconds = plan_->race_seconds(passed(), mallocs + 1);
      if (seconds > 0) return true;
      trial.as_it_was = plain_.last;
      seconds = plan_->race_seconds(passed(), mallocs, 1);
      return seconds > 0;
    };
    auto mallocs = static_cast<std::size_t>(
        std::count_if(report.advices.begin(), report.advices.end(), is_malloc));
    while (mallocs > 0 && !has_time_for(mallocs)) --mallocs;
    if (mallocs == 0) return false;
    set_aside(report, is_resource, "time was short: only mallocs were tried");
    while (report.advices.size() > mallocs) {
      report.others.push_back({report.advices.back().from, {}, {}, "time was short"});
      report.advices.pop_back();
    }
  }
  trial.runner = &*runner_;
  trial.looks = looks();
  trial.time_budget =
      plan_->without_second_look(seconds, runs_of_a_round(report, trial.with_ideal));
  trial.last_start = plan_->last_start() - passed();
  begin(fmt::format("trying {} on the program, in turns",
                    base::counted(report.advices.size(), "variant")),
        seconds);
  race_on_program(report, request_.runs, trial);
  // As it is, our malloc, the hook alone on it, the way, and one that finds where the program
  // allocates.
  constexpr std::size_t runs_of_second_look = 5;
  const double left = plan_->race_seconds(passed(), runs_of_second_look);
  if (left > 0 && !was_interrupted() && needs_second_look(report)) {
    trial.time_budget = left;
    trial.last_start = plan_->last_start() - passed();
    trial.repetitions = enough_runs;
    begin("trying the best resource beside the best malloc", left);
    take_second_look(report, request_.runs, trial);
  }
  return true;
}

// The best are tried; where they do not hold, the next ones are. Those whose gain is not predicted
// are in no order: all of them are, as far as there is time.
void program_advice::try_the_best(advice_report& report) {
  trial_options trial;
  trial.runner = &*runner_;
  trial.looks = looks();
  time_plan quick = *plan_;
  quick.has_read_in(report.reading_seconds);
  while (!was_interrupted()) {
    const bool known = is_best_known(report);
    trial.races = request_.quick;
    trial.wanted = known ? is_untold : can_be_tried;
    const advice* next = find(report, trial.wanted);
    if (next == nullptr) return;
    if (request_.quick) {
      trial_plan plan = quick.trial(passed(), !is_malloc(*next));
      if (plan.most == 0 && !known && find(report, is_malloc) != nullptr) {
        trial.wanted = is_malloc;  // which needs fewer runs
        plan = quick.trial(passed(), false);
      }
      trial.last_start = quick.last_start() - passed();
      if (plan.most == 0 || trial.last_start <= 0) {
        report.remarks.push_back(known
                                     ? "time was short: some variants whose gain is not predicted "
                                       "were not tried on the program"
                                     : "time was short: the best was not tried on the program");
        return;
      }
      trial.most = plan.most;
      trial.repetitions = 9;
      trial.time_budget = plan.seconds_of_rounds;
      trial.as_it_was.reset();
      if (!plan.runs_as_it_is) trial.as_it_was = plain_.last;
    }
    begin("trying the best on the program", trial.time_budget);
    try_on_program(report, request_.runs, trial);
    drop_what_did_not_hold(report);
  }
}

void program_advice::add_remarks(advice_report& report) const {
  report.trace = request_.keep;
  report.command = request_.command;
  report.metric = request_.metric;
  if (!report.metric.empty() && report.metric_as_it_is == 0) {
    report.metric_as_it_is = plain_.metric;
  }
  if (plain_.status != 0)
    report.remarks.push_back("the program " + process::describe_end(plain_.status));
  if (WIFSIGNALED(plain_.status) && !request_.is_driven) {
    report.died_of = process::describe_signal(WTERMSIG(plain_.status));
  }
  if (run_.summary.cut) {
    report.remarks.push_back(fmt::format(
        "time was short: the recorded run was ended after {:.0f} s", run_.summary.seconds));
  }
  if (!not_compared_.empty()) {
    report.remarks.push_back("nothing was tried: " + not_compared_);
  }
  if (!samples_) {
    report.remarks.emplace_back(
        "it resets all signals, also those of the C library, and dies of samples: none were taken");
  }
  if (!has_input_) report.remarks.emplace_back(process::silent_input);
  // The shell that drives it may be there for a moment more.
  if (plain_.last.left_processes && !request_.is_driven) {
    report.remarks.emplace_back(
        "processes that it left running were ended after each run, and are in no figure: keep it "
        "in the foreground, or drive it with --load");
  }
}

advice_report nothing_to_gain(const std::vector<std::string>& command, const std::string& why) {
  advice leave;
  leave.from.how = strategy::global;
  leave.what = "Leave it: " + why;
  leave.confidence = "high";
  advice_report out;
  out.command = command;
  out.advices.push_back(std::move(leave));
  return out;
}

advice_report advice_on_trace(profile::trace_reader& trace, bool quick, bool (*interrupted)(),
                              const std::filesystem::path& replayer) {
  trace.interrupted_by(interrupted);
  profile::find_missing_symbols(trace);
  advise_options options = options_for(quick, interrupted);
  options.program = replayer;
  if (quick) options.replay_seconds = time_plan(0, 0).replay_seconds(0);
  advice_report report = adviser(trace, options).replayed();
  settle(report);
  return report;
}

}  // namespace mallard::advise
