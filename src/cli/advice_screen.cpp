#include "cli/advice_screen.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "advise/advice_text.hpp"
#include "advise/bound.hpp"
#include "advise/proof.hpp"
#include "cli/profile_text.hpp"
#include "cli/terminal.hpp"

namespace mallard::cli {
namespace {

using advise::advice;
using advise::advice_report;
using advise::considered;
using advise::evidence;
using advise::strategy;

constexpr std::size_t most_rows = 8;

// The evidence that answers "why?" first.
constexpr std::string_view importance[] = {"arena scope", "kept",  "epochs", "D", "growth",
                                           "sizes",       "nodes", "C",      "L"};

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
    const std::string times = fmt::format("{:.2f} times as fast", tried.times.median);
    if (tried.runs < advise::enough_runs) return fmt::format("{} in a trial", times);
    return fmt::format("{} ({:.2f} to {:.2f})", times, tried.times.low, tried.times.high);
  }
  if (!one.untold.empty()) return "its gain is not known";
  return fmt::format("{:.2f} times as fast by replay, not tried", one.gain.median);
}

std::string headline(const advice& one) {
  if (one.from.how == strategy::leave) return one.what;
  return fmt::format("{}: {}", fitted(one.what, 90), gain_text(one));
}

void print_bound(const advice& one, const advice_report& report) {
  const double operations = advise::bound_times(static_cast<double>(one.from.allocation_ns),
                                                static_cast<double>(report.cpu_ns));
  const bool placed = one.from.placement_ns != 0;
  line("at most",
       fmt::format("{:.2f} times as fast by its operations{}", placed ? operations : one.from.bound,
                   placed ? fmt::format(", {:.2f} with what the places of its blocks may cost",
                                        one.from.bound)
                          : ""));
}

void print_evidence(const advice& one) {
  constexpr std::size_t most_evidence = 4;
  std::vector<const evidence*> chosen;
  for (const std::string_view what : importance) {
    for (const evidence& each : one.from.because) {
      if (each.what == what && chosen.size() < most_evidence) chosen.push_back(&each);
    }
  }
  for (const evidence& each : one.from.because) {
    if (chosen.size() == most_evidence) break;
    if (std::find(chosen.begin(), chosen.end(), &each) == chosen.end()) chosen.push_back(&each);
  }
  for (const evidence* const each : chosen) line(label_of(each->what), fitted(each->says, 120));
}

void print_advice(const advice& one, const advice_report& report, bool colour) {
  if (!one.from.where.file.empty()) {
    line("where",
         place_text(one.from.where.function, one.from.where.file, one.from.where.line) +
             (one.from.where.type.empty() ? "" : ", of " + fitted(one.from.where.type, 40)));
  }
  if (one.from.how != strategy::leave) {
    line("memory", advise::memory_text(one.tried ? one.tried->memory : one.memory));
  }
  print_evidence(one);
  if (!one.tried) print_bound(one, report);
  if (!one.tried_remark.empty()) line("not tried", fitted(one.tried_remark, 110));
  for (const std::string& doubt : one.from.doubts) {
    line(styled(fmt::format("{:<20}", "but"), style::faint, colour), fitted(doubt, 120));
  }
  line("confidence", one.confidence);
}

std::string way_of(const advise::candidate& one) {
  if (one.how == strategy::switch_malloc) return "malloc: " + one.malloc;
  return fmt::format("{}: {}", one.where.subsystem, advise::to_string(one.how));
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
  fmt::print("\n{}\n", styled("Tried on the program, times as fast", style::bold, colour));
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    fmt::print("   {:<52} {:<30} {}\n", fitted(way_of(*rows[i].what), 52),
               advise::tried_text(*rows[i].figures), advise::memory_text(rows[i].figures->memory));
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
  fmt::print("\n{}\n", styled("What to write", style::bold, colour));
  std::size_t at = 0;
  while (at < one.code.size()) {
    const std::size_t end = std::min(one.code.find('\n', at), one.code.size());
    fmt::print("   {}\n", one.code.substr(at, end - at));  // to be copied: never cut
    at = end + 1;
  }
}

// Prints refused ways; those with a figure come first.
void print_refused(const advice_report& report, bool colour) {
  std::vector<const considered*> rows;
  for (const bool figures : {true, false}) {
    for (const considered& one : report.others) {
      if (!one.tried && one.gain.has_value() == figures) rows.push_back(&one);
    }
  }
  if (rows.empty()) return;
  fmt::print("\n{}\n", styled("Not advised", style::bold, colour));
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    fmt::print("   {:<52} {}{}\n", fitted(way_of(rows[i]->from), 52),
               rows[i]->gain ? fmt::format("{:.2f} by replay: ", rows[i]->gain->median) : "",
               fitted(rows[i]->why_not, 95));
  }
  if (rows.size() > most_rows) fmt::print("   and {} more (--json)\n", rows.size() - most_rows);
}

}  // namespace

void print_advice_screen(const advice_report& report, bool colour) {
  const advice& first = report.advices.front();
  fmt::print("{}\n", styled(headline(first), style::bold, colour));
  fmt::print("{}\n", styled(report.proof, report.proved ? style::good : style::bold, colour));
  print_advice(first, report, colour);
  print_code(first, colour);
  print_tried(report, colour);
  print_alternatives(report, colour);
  print_refused(report, colour);
  fmt::print("\n{}\n", styled(fitted(fmt::format("{}", fmt::join(report.command, " ")), 100),
                              style::bold, colour));
  fmt::print("   {:.3f} s recorded; {} allocations, at most {} live\n",
             static_cast<double>(report.duration_ns) / 1e9, report.allocations,
             bytes_text(report.peak_bytes));
  if (report.program_runs > 0) fmt::print("   it was run {} times\n", report.program_runs);
  for (const std::string& remark : report.remarks) fmt::print("   {}\n", remark);
}

}  // namespace mallard::cli
