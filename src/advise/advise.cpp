#include "advise/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>

#include "advise/bound.hpp"
#include "advise/candidates.hpp"
#include "advise/level_rankings.hpp"
#include "advise/places.hpp"
#include "advise/proof.hpp"
#include "advise/rank.hpp"
#include "lab/measuring/mallocs.hpp"
#include "profile/analysis.hpp"
#include "profile/density.hpp"
#include "profile/record/program_check.hpp"
#include "profile/shell_word.hpp"
#include "profile/trace/lacks.hpp"
#include "profile/trace/trace_reader.hpp"
#include "replay/replay.hpp"

namespace mallard::advise {
namespace {

namespace fs = std::filesystem;

// Returns: the file of the module whose malloc all modules call; empty for the C library's, or if
// the files of the recorded modules are not here. The recorder names the module of malloc before
// those of stacks.
fs::path malloc_in_use(const profile::trace_reader& trace) {
  if (trace.facts().process.recorder != "mallard record") return {};
  for (const profile::module_info& one : trace.facts().modules) {
    const fs::path file = one.path;
    const std::string name = file.filename().string();
    std::error_code none;
    if (!fs::is_regular_file(file, none) || !profile::defines_malloc(file.string())) continue;
    return name.starts_with("libc.") || name.starts_with("libc-") ? fs::path() : file;
  }
  return {};
}

void refuse_what_says_nothing(const profile::trace_reader& trace) {
  if (trace.event_count() == 0) {
    throw std::runtime_error(
        "the trace has no events: the program allocated nothing, or was not "
        "recorded");
  }
  if (trace.stacks().size() <= 1) {
    throw std::runtime_error(
        "the trace has no stacks, so its functions are not known (recorded with "
        "--sample-stacks 0?)");
  }
}

std::string command_of(const profile::dims_result& dims) {
  std::string out;
  for (const std::string& word : dims.command) {
    if (!out.empty()) out += ' ';
    out += profile::shell_word(word);
  }
  return out;
}

// The replays that the candidates need, and no others; mallocs have the whole program.
replay::replay_options what_to_replay(const std::vector<candidate>& candidates, bool mallocs,
                                      const advise_options& options) {
  replay::replay_options out;
  const std::string all(replay::whole_program);
  std::set<std::string> strategies = {"AS2"};  // replays take an empty list for all
  if (mallocs) {
    out.subsystems = {all};
    out.strategies_of[all] = {};
  } else {
    out.mallocs.clear();
  }
  const std::size_t most = options.most_subsystems + (mallocs ? 1 : 0);
  for (const candidate& one : candidates) {
    const std::string strategy(facts_of(one.how).replay);
    if (!one.refused.empty() || strategy.empty() || one.loop) continue;
    const std::string& of = one.where.subsystem;
    if (!out.strategies_of.contains(of)) {
      if (out.subsystems.size() >= most) continue;
      out.subsystems.push_back(of);
    }
    out.strategies_of[of].insert(strategy);
    strategies.insert(strategy);
  }
  out.strategies.assign(strategies.begin(), strategies.end());
  out.leaves_out_empty = true;
  out.peers = {std::string(replay_peer)};
  out.touch = {replay::touch_level::first};
  out.touch.insert(out.touch.end(), options.other_levels.begin(), options.other_levels.end());
  out.repetitions = options.repetitions;
  // The recording begins with the program, and ages its heap itself.
  out.heap = replay::heap_condition::clean;
  out.budget_seconds = options.replay_seconds;
  out.must_tell = options.program_seconds == 0;  // else a trial tells
  out.program = options.program;
  out.interrupted = options.interrupted;
  return out;
}

constexpr double least_seconds_left = 1;
// For a program of which only the beginning was recorded.
constexpr double neighbours_at_best = 0.5;
// A recording of less is of its beginning.
constexpr double small_share = 0.2;
double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A program's time may differ from itself by so much before figures are in doubt.
constexpr double much_slower = 1.3;

// Effects: one step less of confidence in each prediction.
void doubt_all(advice_report& report, const std::string& why) {
  for (advice& one : report.advices) {
    one.from.doubts.push_back({why, 1, true});
    one.confidence = lowered(one.confidence);
  }
}

// All but the global heap, which they are seen against.
std::vector<replayed_cell> cells_of(const std::vector<replay::replay_outcome>& outcomes) {
  std::vector<replayed_cell> out;
  for (const replay::replay_outcome& one : outcomes) {
    if (one.strategy.starts_with("AS1@") || one.strategy.starts_with("AS2@")) continue;
    if (one.remark == replay::not_wanted) continue;
    replayed_cell cell;
    cell.subsystem = one.subsystem == replay::whole_program ? "" : one.subsystem;
    cell.strategy = one.strategy;
    cell.touch = one.touch;
    if (one.remark.empty()) cell.of_operations = interval{one.low, one.median, one.high};
    cell.memory = one.memory;
    cell.remark = one.remark;
    out.push_back(std::move(cell));
  }
  return out;
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code not_there;
  return std::filesystem::equivalent(a, b, not_there);
}

std::string percent_text(double share) {
  return share < 0.01 ? "less than 1 %" : fmt::format("{:.0f} %", 100 * share);
}

// The replays that time was too short for; empty: none.
std::string missing_text(const std::vector<replay::replay_outcome>& outcomes, unsigned wanted) {
  std::size_t all = 0, missing = 0, fewer = 0;
  for (const replay::replay_outcome& one : outcomes) {
    const bool is_missing = one.remark == replay::no_time_left;
    if (!one.remark.empty() && !is_missing) continue;
    ++all;
    missing += is_missing;
    fewer += !is_missing && one.repetitions < wanted;
  }
  if (missing == 0 && fewer == 0) return {};
  std::string out = "time was short:";
  if (missing > 0) out += fmt::format(" {} of {} replays were left out", missing, all);
  if (fewer > 0) {
    out += fmt::format("{} were repeated fewer than {} times",
                       missing > 0 ? fmt::format(", {}", fewer) : fmt::format(" {} replays", fewer),
                       wanted);
  }
  return out;
}

}  // namespace

adviser::adviser(profile::trace_reader& trace, const advise_options& options)
    : trace_(trace), options_(options), began_(std::chrono::steady_clock::now()) {
  refuse_what_says_nothing(trace);
  const profile::function_table functions(trace);
  profile::trace_analysis analysis(trace, functions, {.loops = true});
  const profile::subsystem_map subsystems = analysis.shown_subsystems(SIZE_MAX);
  place_finder places(trace, functions);
  profile::block_watcher* const also[] = {&places};
  dims_ = analysis.finish(also);
  recorded_ns_ = dims_.duration;
  has_samples_ = dims_.all.cpu_ns > 0 || options.program_seconds > 0;
  if (options.heap) profile::take_heap_share(dims_, *options.heap);
  if (options.program_seconds > 0) take_seconds(options.program_seconds);
  if (!dims_.heap) assume_heap_share();
  if (options.recorded_share < 1) {
    dims_.dropped = 0;  // what came after the recording was over is no loss
    // Where later blocks lie, and how often the program comes back to those it has, is not known.
    dims_.all.where.neighbours = std::min(dims_.all.where.neighbours, neighbours_at_best);
  }
  candidates_ = find_candidates(dims_, places.find(dims_, subsystems), options.recorded_share < 1);
  malloc_ = malloc_in_use(trace);
  reading_seconds_ = seconds_since(began_);
}

// The recording has no sample of the processor's time, and its length is mostly the recorder's. So
// nothing is predicted, and half of the time is taken to be the heap's, for an order. Files of
// other tools time no operation either: all are taken to be as long as each other.
void adviser::assume_heap_share() {
  constexpr std::uint64_t times = 2;
  constexpr std::uint64_t untimed_ns = 50;
  if (dims_.all.allocation_ns == 0) {
    const auto assume = [](profile::subsystem& one) {
      for (const auto& [bytes, count] : one.sizes) one.allocation_ns += untimed_ns * count;
    };
    assume(dims_.all);
    for (profile::subsystem& one : dims_.subsystems) assume(one);
  }
  dims_.duration = dims_.all.cpu_ns = times * dims_.all.allocation_ns;
  dims_.all.heap_ns = dims_.all.allocation_ns;
  for (profile::subsystem& one : dims_.subsystems) one.heap_ns = one.allocation_ns;
}

void adviser::take_seconds(double seconds) {
  dims_.duration = dims_.all.cpu_ns =
      static_cast<std::uint64_t>(seconds * options_.recorded_share * 1e9);
  if (dims_.heap) profile::take_heap_share(dims_, *dims_.heap);
}

std::vector<replay::replay_outcome> adviser::replay_candidates(bool mallocs) {
  replay::replay_options wanted = what_to_replay(candidates_, mallocs, options_);
  if (wanted.subsystems.empty()) return {};
  if (wanted.budget_seconds > 0) {
    wanted.budget_seconds = std::max(least_seconds_left, wanted.budget_seconds - reading_seconds_);
  }
  return replay::replay(trace_, wanted);
}

advice_report adviser::to_try(std::vector<candidate> later) const {
  const bool has_later = !later.empty();
  std::vector<candidate> all = std::move(later);
  for (const candidate& one : candidates_) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const candidate& other) {
      return other.how == one.how && other.where.subsystem == one.where.subsystem;
    });
    if (same == all.end()) {
      all.push_back(one);
    } else if (!same->refused.empty() && one.refused.empty()) {
      *same = one;  // one recording that shows how it can be done is enough
    }
  }
  std::vector<malloc_choice> mallocs;
  for (const lab::malloc_library& one : lab::find_mallocs(lab::own_program()).found) {
    if (!one.only_by_name && is_for_speed(one.name) && !one.file.empty() &&
        !is_same_file(one.file, malloc_))
      mallocs.push_back({one.name, one.file.string()});
  }
  advice_report out = rank_untried(dims_, all, mallocs, command_of(dims_));
  add_facts(out);
  if (has_later) {
    out.remarks.push_back(
        "as many were recorded from the middle of a second run, and may add candidates");
  }
  return out;
}

void adviser::explain(advice_report& report) {
  add_replays(report, replay_candidates(false));
}

advice_report adviser::replayed() {
  const gain_bound all = bound_of(dims_.all, dims_);
  const bool worth_it = all.times >= least_gain || !candidates_.empty();
  std::vector<replay::replay_outcome> outcomes;
  if (worth_it) outcomes = replay_candidates(true);
  std::erase_if(outcomes, [&](const auto& one) { return is_same_file(one.file, malloc_); });
  const double before = options_.program_seconds;
  double after = before;
  if (worth_it && before > 0 && options_.program_seconds_again) {
    after = options_.program_seconds_again();
    take_seconds((before + after) / 2);
  }
  advice_report out = rank(dims_, candidates_, outcomes, command_of(dims_), before > 0,
                           malloc_.filename().string());
  if (std::max(before, after) > much_slower * std::min(before, after)) {
    doubt_all(out, fmt::format("the program took {:.2f} s of processor time before the replay and "
                               "{:.2f} s after it: other work disturbs it",
                               before, after));
  }
  add_facts(out);
  add_replays(out, outcomes);
  if (!worth_it) {
    out.remarks.push_back(fmt::format(
        "nothing was replayed: no allocator can make the program more than {:.3f} times as fast",
        all.times));
  }
  return out;
}

void adviser::add_replays(advice_report& report,
                          const std::vector<replay::replay_outcome>& outcomes) const {
  report.replays = cells_of(outcomes);
  report.rankings = rankings_that_differ(report.replays);
  if (const std::string missing = missing_text(outcomes, options_.repetitions); !missing.empty()) {
    report.remarks.push_back(missing);
  }
}

void adviser::add_facts(advice_report& out) const {
  if (options_.recorded_share < 1) {
    out.remarks.push_back(
        fmt::format("recorded: {} of all heap operations, and {} of them read; the rest is assumed "
                    "to be similar",
                    percent_text(options_.recorded_share), trace_.event_count()));
  }
  if (options_.recorded_share < small_share) {
    doubt_all(out, fmt::format("only the first {} of its operations were recorded",
                               percent_text(options_.recorded_share)));
  }
  out.reading_seconds = reading_seconds_;
  out.command = dims_.command;
  out.duration_ns = recorded_ns_;
  out.cpu_ns = dims_.all.cpu_ns;
  out.allocations = dims_.total.allocations;
  out.peak_bytes = dims_.total.peak_bytes;
  if (!has_samples_) {
    out.remarks.push_back(
        fmt::format("the recording {} of processor time, so the heap's share of it is not known",
                    trace_.facts().process.cpu_sample_ns == 0 ? "has no samples"
                                                              : "is too short for a sample"));
  }
  if (profile::lacks(dims_.not_recorded, profile::outer_frames)) {
    out.remarks.push_back(
        "the deepest stacks lack their outer frames, so a call further out may suit better");
  }
  if (!dims_.complete) out.remarks.push_back("the trace is incomplete");
}

}  // namespace mallard::advise
