#include "cli/advice_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "advise/advice_text.hpp"
#include "advise/bound.hpp"
#include "advise/proof.hpp"
#include "base/units.hpp"
#include "cli/profile_text.hpp"
#include "cli/terminal.hpp"
#include "profile/function_names.hpp"
#include "profile/shell_word.hpp"

namespace mallard::cli {
namespace {

using advise::advice;
using advise::advice_report;
using advise::considered;
using advise::evidence;

constexpr std::size_t most_rows = 12;
constexpr std::size_t most_says = 160;  // of a line; what is longer is on the page

// The reasons for it, the most telling first. A replay says nothing more once it was tried.
constexpr std::string_view importance[] = {"arena scope", "turns", "kept",  "epochs", "D",
                                           "growth",      "sizes", "nodes", "C",      "L"};
constexpr std::size_t most_evidence = 3;
constexpr std::size_t most_lines = 6;  // below the verdict

std::string label_of(const std::string& what) {
  if (what == "D") return "density (D)";
  if (what == "L") return "locality (L)";
  if (what == "U") return "utilization (U)";
  if (what == "V") return "variation (V)";
  if (what == "C") return "contention (C)";
  if (what == "F") return "fragmentability (F)";
  return what;
}

void line(std::string_view label, std::string_view says) {
  fmt::print("   {:<20} {}\n", label, says);
}

std::string gain_text(const advice& one) {
  if (one.tried) {
    const advise::trial_figures& tried = *one.tried;
    if (tried.runs < advise::enough_runs) {
      return fmt::format("{} times as fast in a trial", advise::tried_times_text(tried));
    }
    return fmt::format("{:.2f} times as fast ({:.2f} to {:.2f})", tried.times.median,
                       tried.times.low, tried.times.high);
  }
  if (!one.untold.empty()) return "its gain is not known";
  return fmt::format("{:.2f} times as fast by replay, not tried", one.gain.median);
}

std::string headline(const advice& one) {
  if (one.from.how == strategy::global) return one.what;
  return fmt::format("{}: {}", one.what, gain_text(one));
}

std::string bound_text(const advice& one, const advice_report& report) {
  if (report.bound) {
    const double most = report.bound->times.median;
    const bool is_it = one.tried && one.tried->times.median >= most;
    if (most <= 1) return "no gain: an ideal malloc, whose frees cost nothing, gained nothing";
    if (!is_it && !report.bound_of.empty()) {
      return fmt::format("{} with {}; an ideal malloc, whose frees cost nothing, gained less",
                         advise::tried_text(*report.bound), report.bound_of);
    }
    // The figure of what gained most is then this one's own.
    std::string out = is_it ? "an ideal malloc, whose frees cost nothing, gained no more than this"
                            : fmt::format("{} with an ideal malloc, whose frees cost nothing",
                                          advise::tried_text(*report.bound));
    if (one.from.how == strategy::monotonic) {
      out += "; left-out destructors and inlined code come on top";
    }
    const bool is_above = report.heap && report.bound->runs >= advise::enough_runs &&
                          report.bound->times.low > advise::bound_times(report.heap->high, 1);
    // Else it would seem to contradict the share.
    return is_above ? out + "; block placement gains, too" : out;
  }
  if (!advise::is_known(report.heap))
    return "not known: the recording has no sample of processor time";
  const double operations = advise::bound_times(static_cast<double>(one.from.allocation_ns),
                                                static_cast<double>(report.cpu_ns));
  const bool placed = one.from.placement_ns != 0;
  return fmt::format("{:.2f} times as fast by its heap operations, an estimate{}",
                     placed ? operations : one.from.bound,
                     placed ? "; block placement may gain more, which only a trial shows" : "");
}

// A trial knows better than a replay, and better than an estimate of what placement costs.
std::vector<const evidence*> chosen_evidence(const advice& one, std::size_t most) {
  std::vector<const evidence*> chosen;
  const auto choose = [&](const evidence& each) {
    const bool is_told_by_trial = each.what.starts_with("replay") || each.what == "L";
    const bool fresh = std::find(chosen.begin(), chosen.end(), &each) == chosen.end();
    if (chosen.size() < most && fresh && !(one.tried && is_told_by_trial)) chosen.push_back(&each);
  };
  for (const std::string_view what : importance) {
    for (const evidence& each : one.from.because) {
      if (each.what == what) choose(each);
    }
  }
  for (const evidence& each : one.from.because) choose(each);
  return chosen;
}

std::string beside_text(const advice& one) {
  return fmt::format("{} as the malloc of all other blocks: {}", one.beside_malloc,
                     advise::tried_text(*one.tried_beside_malloc));
}

// A share alone does not say whether there is memory for it.
std::string memory_line(const advice& one, const advice_report& report) {
  const double share = one.tried ? one.tried->memory : one.memory;
  if (share <= 0) return "unknown";
  const std::string compared = advise::memory_text(share);
  if (report.resident_as_it_is <= 0) return compared;
  return fmt::format("{}, {} resident at its peak", compared,
                     bytes_text(share * report.resident_as_it_is));
}

// The place, what speaks for it, its memory, and what speaks against it.
void print_advice(const advice& one, const advice_report& report, bool colour) {
  std::vector<std::pair<std::string, std::string>> rows;
  if (!one.from.where.file.empty()) {
    rows.emplace_back(
        "where", place_text(one.from.where.function, one.from.where.file, one.from.where.line) +
                     (one.from.where.type.empty() ? "" : ", containers of " + one.from.where.type));
  }
  const std::size_t reasons_at = rows.size();
  if (one.tried_beside_malloc) rows.emplace_back("with", beside_text(one));
  if (!one.tried_remark.empty()) rows.emplace_back("not tried", one.tried_remark);
  if (report.bound || (!one.tried && one.tried_remark.empty()))
    rows.emplace_back("bound", bound_text(one, report));
  const bool has_memory = one.from.how != strategy::global;
  const std::size_t most = most_lines - (has_memory ? 1 : 0) - (one.from.doubts.empty() ? 0 : 1);
  // Reasons have the lines that are left.
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const evidence* const each :
       chosen_evidence(one, std::min(most_evidence, most - std::min(most, rows.size())))) {
    reasons.emplace_back(label_of(each->what), each->says);
  }
  rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(reasons_at), reasons.begin(),
              reasons.end());
  for (const auto& [label, says] : rows) line(label, fitted(says, most_says));
  if (has_memory) line("memory", memory_line(one, report));
  if (one.from.doubts.empty()) return;
  const std::size_t others = one.from.doubts.size() - 1;
  line(styled(fmt::format("{:<20}", "doubt"), style::faint, colour),
       fitted(one.from.doubts.front().says, most_says) +
           (others == 0 ? "" : fmt::format(" (--json lists {} more)", others)));
}

std::string way_of(const advise::candidate& one) {
  if (one.how == strategy::switch_malloc) return "malloc: " + one.malloc;
  const std::string& place = one.where.function.empty() ? one.where.subsystem : one.where.function;
  return fmt::format("{}: {}", one.loop ? one.where.subsystem : profile::short_name(place),
                     to_string(one.how));
}

// As wide as the longest label: none is cut.
template <class Rows, class Label>
std::size_t width_of(const Rows& rows, const Label& label) {
  std::size_t width = 24;
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    width = std::max(width, label(rows[i]).size());
  }
  return width;
}

// The number of --metric, with its share of what it is without this way; empty: there is none.
std::string metric_text(const advise::trial_figures& tried) {
  if (!tried.metric) return {};
  return fmt::format(", --metric: {:.4g}, {:.2f} of the baseline", tried.metric->value,
                     tried.metric->share.median);
}

// The fastest first, whether it is advised or not.
void print_tried(const advice_report& report, bool colour) {
  struct row {
    const advise::candidate* what;
    const advise::trial_figures* figures;
    std::size_t number;
  };
  std::vector<row> rows;
  for (const advice& one : report.advices) {
    if (one.tried) rows.push_back({&one.from, &*one.tried, rows.size()});
  }
  for (const considered& one : report.others) {
    if (one.tried) rows.push_back({&one.from, &*one.tried, rows.size()});
  }
  if (rows.empty()) return;
  std::sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
    const double times = a.figures->times.median;
    return times != b.figures->times.median ? times > b.figures->times.median : a.number < b.number;
  });
  const std::size_t width = width_of(rows, [](const row& one) { return way_of(*one.what); });
  fmt::print("\n{}\n", styled("Tried on the program, times as fast", style::bold, colour));
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    const advise::trial_figures& tried = *rows[i].figures;
    fmt::print("   {:<{}}  {:<31}  {}{}\n", way_of(*rows[i].what), width, advise::tried_text(tried),
               advise::memory_text(tried.memory), metric_text(tried));
  }
  if (!report.metric.empty()) {
    fmt::print("   {:.4g} is what /{}/ finds in the unmodified program; smaller is better\n",
               report.metric_as_it_is, report.metric);
  }
  if (rows.size() > most_rows) fmt::print("   and {} more (--json)\n", rows.size() - most_rows);
}

// Prints the ways that only replays speak for.
void print_alternatives(const advice_report& report, bool colour) {
  bool any = false;
  for (const advice& one : report.advices) {
    if (&one == &report.advices.front() || one.tried) continue;
    if (!any) fmt::print("\n{}\n", styled("Or", style::bold, colour));
    any = true;
    fmt::print("   {}, {}\n", headline(one), advise::memory_text(one.memory));
  }
  for (const advise::level_ranking& one : report.rankings) {
    fmt::print("   {}\n", fitted(one.says, 150));
  }
}

void print_code(const advice& one, bool colour) {
  if (one.code.empty()) return;
  fmt::print("\n{}\n", styled("To apply it", style::bold, colour));
  std::size_t at = 0;
  while (at < one.code.size()) {
    const std::size_t end = std::min(one.code.find('\n', at), one.code.size());
    fmt::print("   {}\n", one.code.substr(at, end - at));  // to be copied: never cut
    at = end + 1;
  }
}

// Prints refused ways; those with a figure come first.
void print_refused(const advice_report& report, bool colour) {
  std::vector<const considered*> found;
  for (const bool figures : {true, false}) {
    for (const considered& one : report.others) {
      if (!one.tried && one.gain.has_value() == figures) found.push_back(&one);
    }
  }
  if (found.empty()) return;
  // One reason is said once: of the first, and how many others have it.
  struct row {
    std::string way, says;
    std::size_t others = 0;
    std::string text() const {
      return others == 0 ? way : fmt::format("{}, and {} more", way, others);
    }
  };
  std::vector<row> rows;
  for (const considered* const one : found) {
    std::string says = one->gain ? fmt::format("{:.2f} by replay: ", one->gain->median) : "";
    says += one->why_not;
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const row& other) {
      return other.says == says &&
             other.way.ends_with(fmt::format(": {}", to_string(one->from.how)));
    });
    if (same == rows.end() || one->gain) {
      rows.push_back({way_of(one->from), std::move(says)});
    } else {
      ++same->others;
    }
  }
  const std::size_t width = width_of(rows, [](const row& one) { return one.text(); });
  fmt::print("\n{}\n", styled("Not tried", style::bold, colour));
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    fmt::print("   {:<{}}  {}\n", rows[i].text(), width, fitted(rows[i].says, most_says));
  }
  if (rows.size() > most_rows) fmt::print("   and {} more (--json)\n", rows.size() - most_rows);
}

}  // namespace

void print_advice_screen(const advice_report& report, bool colour) {
  const advice& first = report.advices.front();
  fmt::print("{}\n", styled(headline(first), style::bold, colour));
  fmt::print("{} Confidence: {}.\n",
             styled(report.proof, report.proved ? style::good : style::bold, colour),
             first.confidence);
  print_advice(first, report, colour);
  print_code(first, colour);
  print_tried(report, colour);
  print_alternatives(report, colour);
  print_refused(report, colour);
  std::string command;
  for (const std::string& word : report.command) {
    command += (command.empty() ? "" : " ") + profile::shell_word(word);
  }
  fmt::print("\n{}\n", styled(fitted(command, 100), style::bold, colour));
  fmt::print("   {:.3f} s recorded; {}, at most {} live\n",
             static_cast<double>(report.duration_ns) / 1e9,
             base::counted(report.allocations, "allocation"), bytes_text(report.peak_bytes));
  if (report.program_runs > 0) {
    fmt::print("   the program ran {} for this advice\n",
               base::counted(report.program_runs, "time"));
  }
  for (const std::string& remark : report.remarks) fmt::print("   {}\n", remark);
}

}  // namespace mallard::cli
