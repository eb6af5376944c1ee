#include "advise/rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "advise/bound.hpp"
#include "advise/code.hpp"
#include "base/units.hpp"
#include "lab/measuring/contender.hpp"
#include "profile/subsystem_rules.hpp"

namespace mallard::advise {
namespace {

using replay::replay_outcome;

constexpr std::size_t most_advices = 5;
// Resources in a race; more of them take its time from those that are close.
constexpr std::size_t most_tried = 12;
// Fewer samples of the processor's time than this say little of its shares.
constexpr std::uint64_t few_samples_ns = 100'000'000;
// A part that is replayed apart may take a tenth more or less than in the program.
constexpr double error_of_seconds = 0.1;
// Such an error may change a prediction by this share.
constexpr double most_changed = 0.3;
constexpr double much_gain = 1.1;
constexpr const char* raced = "it was tried, not predicted";
// If more of the program's time than this may be lost by placement, that decides.
constexpr double much_placement = 0.4;

// "a monotonic resource of 48 KiB".
std::string resource_text(const candidate& one) {
  std::string text(facts_of(one.how).given);
  if (one.first_bytes > 0) text += " of " + base::bytes_text(one.first_bytes);
  if (one.one_for_each_thread) text += " for each thread";
  return text;
}

std::string sentence(const candidate& one) {
  if (one.how == strategy::global) {
    return "Leave it: no replayed allocator makes the program noticeably faster";
  }
  if (one.how == strategy::switch_malloc) return "Switch malloc to " + one.malloc;
  std::string place =
      profile::short_name(one.where.function.empty() ? one.where.subsystem : one.where.function);
  if (one.loop) {
    place = fmt::format("each turn of the loop in {} ({}:{})", place,
                        profile::file_name(one.loop->file), one.loop->first);
  }
  if (is_arena(one.how) && !one.where.is_cpp) return "Open a scope's heap in " + place;
  if (one.loop) return fmt::format("Release {} at the end of {}", resource_text(one), place);
  return fmt::format("Give {} {}", place, resource_text(one));
}

// A loss that no figure shows is none.
std::string why_no_gain(const interval& gain) {
  const bool slower = gain.high < 1 && gain.median <= 1 / least_gain;
  return slower ? "slower than the unmodified program"
                : "no difference from the unmodified program";
}

interval of_outcome(const replay_outcome& one) {
  return {one.low, one.median, one.high};
}

// The best first; what C code would have to be given is behind what can be done.
void sort_by_gain(std::vector<advice>& some) {
  std::sort(some.begin(), some.end(), [](const advice& a, const advice& b) {
    if (a.from.where.is_cpp != b.from.where.is_cpp) return a.from.where.is_cpp;
    return a.gain.median != b.gain.median ? a.gain.median > b.gain.median : a.what < b.what;
  });
}

class ranker {
 public:
  ranker(const profile::dims_result& dims, std::vector<replay_outcome> outcomes,
         const std::string& command, bool is_timed, const std::string& malloc = {})
      : dims_(dims),
        outcomes_(std::move(outcomes)),
        command_(command),
        malloc_(malloc),
        few_samples_(!is_timed && dims.all.cpu_ns < few_samples_ns),
        program_seconds_(static_cast<double>(program_time(dims)) / 1e9),
        whole_bound_(bound_of(dims.all, dims)) {}

  advice_report rank(const std::vector<candidate>& candidates) {
    std::map<std::string, std::vector<advice>> by_subsystem;
    std::vector<std::string> order;
    for (const candidate& one : candidates) {
      if (!one.refused.empty()) {
        out_.others.push_back({one, {}, {}, one.refused});
        continue;
      }
      auto [at, fresh] = by_subsystem.try_emplace(one.where.subsystem);
      if (fresh) order.push_back(one.where.subsystem);
      if (auto made = replayed(one)) at->second.push_back(std::move(*made));
    }
    for (const std::string& name : order) take_best(by_subsystem.at(name));
    sort_by_gain(out_.advices);
    add_malloc();
    add_not_replayed();
    for (std::size_t i = most_advices; i < out_.advices.size(); ++i) {
      out_.others.push_back({out_.advices[i].from, told_gain(out_.advices[i]),
                             told_memory(out_.advices[i]), "others gain more"});
    }
    if (out_.advices.size() > most_advices) out_.advices.resize(most_advices);
    if (out_.advices.empty()) out_.advices.push_back(leave());
    out_.heap = dims_.heap;
    return std::move(out_);
  }

  advice_report rank_untried(const std::vector<candidate>& candidates,
                             const std::vector<malloc_choice>& mallocs) {
    for (const candidate& one : candidates) {
      if (!one.refused.empty()) {
        out_.others.push_back({one, {}, {}, one.refused});
      } else if (out_.advices.size() == most_tried) {
        out_.others.push_back({one, {}, {}, "it was not tried: others have more to gain"});
      } else {
        out_.advices.push_back(without_prediction(one, raced));
      }
    }
    for (const malloc_choice& one : mallocs) {
      candidate made;
      made.how = strategy::switch_malloc;
      made.malloc = one.name;
      made.malloc_file = one.file;
      bind_whole_program(made);
      out_.advices.push_back(without_prediction(made, raced));
    }
    out_.heap = dims_.heap;
    return std::move(out_);
  }

 private:
  std::string replayed_text(const interval& times, unsigned replays) const {
    const std::string on = malloc_.empty() ? "" : " as on the C library's malloc";
    if (replays == 1) {
      return fmt::format("{:.2f} times as fast{}, replayed once", times.median, on);
    }
    return fmt::format("{:.2f} times as fast{} ({:.2f} to {:.2f})", times.median, on, times.low,
                       times.high);
  }

  const replay_outcome* find(const std::string& subsystem, const std::string& name,
                             std::string_view touch) const {
    for (const replay_outcome& one : outcomes_) {
      if (one.subsystem == subsystem && one.strategy == name && one.touch == touch) return &one;
    }
    return nullptr;
  }

  advice without_prediction(const candidate& one, const char* why) const {
    advice made;
    made.from = one;
    made.untold = why;
    made.memory = 0;
    made.confidence = "low";
    made.what = sentence(one);
    made.code = code_for(one, command_);
    return made;
  }

  std::optional<advice> replayed(const candidate& one) {
    const std::string name = one.loop ? std::string() : replay_name(one.how);
    if (name.empty()) {
      out_.others.push_back(
          {one, {}, {}, "replay does not support it; mallard whatif tries it on the program"});
      return {};
    }
    const replay_outcome* const first = find(one.where.subsystem, name, "first");
    if (first == nullptr) {
      out_.others.push_back({one, {}, {}, "it was not replayed: others have more to gain"});
      return {};
    }
    if (!first->remark.empty()) {
      take_remark(one, first->remark);
      return {};
    }
    advice made;
    made.from = one;
    made.of_operations = of_outcome(*first);
    made.replays = first->repetitions;
    made.gain = gain_of_program(made.of_operations, first->seconds_global, program_seconds_);
    made.memory = first->memory;
    made.untold = untold(made, *first, one.placement_ns);
    made.from.because.push_back(
        {"replay", "its operations are " + replayed_text(made.of_operations, made.replays)});
    const replay_outcome* const walked = find(one.where.subsystem, name, "walk");
    if (walked != nullptr && walked->remark.empty()) {
      made.from.because.push_back(
          {"replay, walked", replayed_text(of_outcome(*walked), walked->repetitions) +
                                 " if its blocks are also read in allocation order"});
      if ((walked->median < 1) != (first->median < 1)) {
        made.from.doubts.push_back(
            {"the answer depends on how its blocks are used: it is another if they are walked", 1});
      }
    }
    made.confidence = confidence(made);
    made.what = sentence(one);
    made.code = code_for(one, command_);
    return made;
  }

  void take_remark(const candidate& one, const std::string& remark) {
    if (remark == replay::no_time_left) {
      not_replayed_.push_back(one);
    } else {
      out_.others.push_back({one, {}, {}, remark});
    }
  }

  // Nothing is known of ways that time was too short for: a trial may tell.
  void add_not_replayed() {
    for (const candidate& one : not_replayed_) {
      if (out_.advices.size() >= most_advices || !is_for_speed(one.malloc)) {
        out_.others.push_back({one, {}, {}, std::string(replay::no_time_left)});
        continue;
      }
      out_.advices.push_back(without_prediction(one, "time was too short to replay it"));
    }
  }

  std::string untold(const advice& made, const replay_outcome& of, std::uint64_t placed_ns) const {
    if (!malloc_.empty()) {
      return "a replay compares with the C library's malloc, and the program runs on " + malloc_;
    }
    if (!dims_.heap) {
      return "the recording has no sample of processor time, which would tell how much of it the "
             "operations take";
    }
    return why_untold(made.of_operations, of.seconds_global, program_seconds_,
                      placement(placed_ns));
  }

  // The share of the program's time that placement may decide over.
  double placement(std::uint64_t ns) const {
    if (program_seconds_ <= 0 || !is_spread_out(dims_)) return 0;
    return static_cast<double>(std::max(ns, whole_bound_.placement_ns)) / 1e9 / program_seconds_;
  }

  void bind_whole_program(candidate& of) const {
    of.placement_ns = whole_bound_.placement_ns;
    of.allocation_ns = whole_bound_.allocation_ns;
    of.bound = whole_bound_.times;
    of.because.push_back({"D", heap_text(dims_.heap)});
  }

  std::string confidence(advice& made) const {
    std::vector<doubt>& doubts = made.from.doubts;
    if (!made.untold.empty()) doubts.push_back({"its gain is not predicted", 2, true});
    if (made.replays == 1) {
      doubts.push_back({"there was time for only one replay, so there is no interval", 1, true});
    }
    if (made.gain.high - made.gain.low > 0.1 * made.gain.median) {
      doubts.push_back({"the replays vary, so the interval is wide", 1, true});
    }
    if (few_samples_ || !is_known(dims_.heap)) {
      doubts.push_back({"the recording is short: allocation's share of the time is not known well",
                        is_known(dims_.heap) ? 1u : 2u, true});
    }
    if (!dims_.complete || dims_.dropped > 0) doubts.push_back({"the trace is incomplete", 1});
    unsigned steps = 0;
    for (const doubt& each : doubts) steps += each.steps;
    return steps == 0 ? "high" : steps == 1 ? "medium" : "low";
  }

  // Takes, of the strategies that cannot be told from the fastest, the one with the least memory.
  void take_best(std::vector<advice>& rivals) {
    if (rivals.empty()) return;
    sort_by_gain(rivals);
    std::size_t best = 0;
    for (std::size_t i = 1; i < rivals.size(); ++i) {
      const bool tied = rivals[i].gain.high >= rivals[0].gain.median &&
                        rivals[i].gain.median >= rivals[0].gain.low;
      if (tied && rivals[i].memory < 0.95 * rivals[best].memory) best = i;
    }
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      advice& one = rivals[i];
      const bool told = one.gain.low > 1 && one.gain.median >= least_gain;
      if (i == best && told) {
        out_.advices.push_back(std::move(one));
        continue;
      }
      std::string why = why_no_gain(one.gain);
      if (told)
        why = one.gain.median < rivals[best].gain.median
                  ? "another is faster here"
                  : "another is as fast here and takes less memory";
      out_.others.push_back({one.from, told_gain(one), told_memory(one), why});
    }
  }

  // By replays of the whole program.
  void add_malloc() {
    std::vector<advice> mallocs;
    for (const replay_outcome& one : outcomes_) {
      if (one.subsystem != replay::whole_program || one.touch != "first") continue;
      if (one.strategy.find('@') != one.strategy.npos || one.strategy.starts_with("AS")) continue;
      advice made;
      made.from.how = strategy::switch_malloc;
      made.from.malloc = one.strategy;
      made.from.malloc_file = one.file;
      bind_whole_program(made.from);
      if (!one.remark.empty()) {
        take_remark(made.from, one.remark);
        continue;
      }
      made.of_operations = of_outcome(one);
      made.replays = one.repetitions;
      made.gain = gain_of_program(made.of_operations, one.seconds_global, program_seconds_);
      made.memory = one.memory;
      made.untold = untold(made, one, whole_bound_.placement_ns);
      made.from.because.push_back(
          {"replay", "all operations are " + replayed_text(made.of_operations, made.replays)});
      made.confidence = confidence(made);
      made.what = sentence(made.from);
      made.code = code_for(made.from, command_);
      mallocs.push_back(std::move(made));
    }
    sort_by_gain(mallocs);
    bool is_chosen = false;
    for (advice& one : mallocs) {
      const bool told = one.gain.low > 1 && one.gain.median >= least_gain;
      if (is_chosen || !told) {
        out_.others.push_back({one.from, told_gain(one), told_memory(one),
                               told ? "another malloc is faster" : why_no_gain(one.gain)});
        continue;
      }
      is_chosen = true;
      const auto at =
          std::find_if(out_.advices.begin(), out_.advices.end(), [&](const advice& other) {
            return !other.from.where.is_cpp || other.gain.low <= one.gain.median;
          });
      out_.advices.insert(at, std::move(one));
    }
  }

  advice leave() const {
    advice made;
    made.from.how = strategy::global;
    made.what = sentence(made.from);
    bind_whole_program(made.from);
    // Replays that saw nothing say little if much may be gained all the same.
    const bool may_gain = whole_bound_.times >= much_gain;
    made.confidence = !dims_.heap || may_gain ? "low" : few_samples_ ? "medium" : "high";
    return made;
  }

  const profile::dims_result& dims_;
  std::vector<replay_outcome> outcomes_;
  const std::string& command_;
  std::string malloc_;
  bool few_samples_;
  double program_seconds_;
  gain_bound whole_bound_;
  std::vector<candidate> not_replayed_;
  advice_report out_;
};

}  // namespace

std::string replay_name(strategy how) {
  const std::string_view name = facts_of(how).replay;
  return name.empty() ? std::string() : lab::column_name(name, replay_peer);
}

advice_report rank(const profile::dims_result& dims, const std::vector<candidate>& candidates,
                   const std::vector<replay_outcome>& outcomes, const std::string& command,
                   bool is_timed, const std::string& malloc) {
  return ranker(dims, outcomes, command, is_timed, malloc).rank(candidates);
}

advice_report rank_untried(const profile::dims_result& dims,
                           const std::vector<candidate>& candidates,
                           const std::vector<malloc_choice>& mallocs, const std::string& command) {
  return ranker(dims, {}, command, true).rank_untried(candidates, mallocs);
}

interval gain_of_program(const interval& of_part, double seconds, double program_seconds) {
  const auto gain = [&](double times) {
    if (times <= 0 || program_seconds <= 0) return 1.0;
    // The replayed part was measured apart and may come to more than the program's whole time.
    const double part = std::min(seconds, 0.99 * program_seconds);
    return program_seconds / (program_seconds - part * (1 - 1 / times));
  };
  return {gain(of_part.low), gain(of_part.median), gain(of_part.high)};
}

std::string why_untold(const interval& of_part, double seconds, double program_seconds,
                       double placement) {
  if (seconds >= program_seconds) {
    return "its operations take longer in the replay than the whole program does";
  }
  const auto gain = [&](double error) {
    return gain_of_program(of_part, (1 + error) * seconds, program_seconds).median;
  };
  const double more = gain(error_of_seconds);
  const double less = gain(-error_of_seconds);
  if (std::max(more, less) > (1 + most_changed) * std::min(more, less)) {
    return fmt::format(
        "its operations are so much of the program that an error of a tenth would change the gain "
        "by more than {:.0f} %",
        100 * most_changed);
  }
  if (placement > much_placement) {
    return "block placement may matter more than heap operations, and a replay does not see "
           "placement";
  }
  return {};
}

}  // namespace mallard::advise
