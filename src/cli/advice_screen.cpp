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
using advise::strategy;

// "1.34 (1.31 to 1.38) times as fast".
std::string predicted(const advice& one) {
  if (!one.untold.empty()) return advise::predicted_text(one);
  if (one.replays == 1) return fmt::format("{:.2f} times as fast, in one replay", one.gain.median);
  return advise::times_text(one.gain) + " times as fast";
}

void print_bound(const advice& one, const advice_report& report) {
  if (one.from.placement_ns == 0) {
    fmt::print("   {:<12} {:.2f} times as fast: more no allocator could gain\n", "bound",
               one.from.bound);
    return;
  }
  const double operations = advise::bound_times(static_cast<double>(one.from.allocation_ns),
                                                static_cast<double>(report.cpu_ns));
  fmt::print(
      "   {:<12} {:.2f} times as fast by its operations; where its blocks lie may matter, too: "
      "{:.2f} "
      "at the very most\n",
      "bound", operations, one.from.bound);
}

void print_advice(const advice& one, const advice_report& report, std::size_t number, bool colour) {
  fmt::print("\n{}\n",
             styled(fmt::format("{}. {}", number, fitted(one.what, 90)), style::bold, colour));
  if (one.from.how == strategy::leave) {
    for (const auto& each : one.from.because) fmt::print("   {:<12} {}\n", each.what, each.says);
    print_bound(one, report);
    return;
  }
  fmt::print("   {:<12} {}, {}; confidence {}\n", "predicted", predicted(one),
             advise::memory_text(one.memory), one.confidence);
  if (one.tried) {
    fmt::print("   {:<12} {} on the program (times as fast), {}\n", "tried",
               advise::tried_text(*one.tried), advise::memory_text(one.tried->memory));
  } else if (!one.tried_remark.empty()) {
    fmt::print("   {:<12} not tried: {}\n", "tried", fitted(one.tried_remark, 100));
  }
  print_bound(one, report);
  if (!one.from.where.file.empty()) {
    fmt::print("   {:<12} {}{}\n", "where",
               place_text(one.from.where.function, one.from.where.file, one.from.where.line),
               one.from.where.type.empty() ? "" : ", of " + fitted(one.from.where.type, 40));
  }
  for (const auto& each : one.from.because) {
    fmt::print("   {:<12} {}\n", fitted(each.what, 12), fitted(each.says, 110));
  }
  for (const auto& doubt : one.from.doubts) {
    fmt::print("   {:<12} {}\n", styled(fmt::format("{:<12}", "but"), style::faint, colour),
               fitted(doubt, 110));
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

}  // namespace

void print_advice_screen(const advice_report& report, bool colour) {
  constexpr std::size_t in_full = 2;
  fmt::print("{}\n", styled(fitted(fmt::format("{}", fmt::join(report.command, " ")), 100),
                            style::bold, colour));
  fmt::print(
      "{:.3f} s recorded; {} allocations, at most {} live; {:.1f} % of the time in the heap's "
      "operations\n",
      static_cast<double>(report.duration_ns) / 1e9, report.allocations,
      bytes_text(report.peak_bytes), 100 * report.allocation_share);
  for (const std::string& remark : report.remarks) fmt::print("{}\n", remark);
  fmt::print("{}\n", styled(report.proof, report.proved ? style::good : style::bold, colour));
  std::size_t number = 0;
  for (const advice& one : report.advices) {
    if (number < in_full) {
      print_advice(one, report, ++number, colour);
    } else {
      fmt::print("\n{}. {}: predicted {}, {}\n", ++number, fitted(one.what, 70), predicted(one),
                 advise::memory_text(one.memory));
    }
  }
  if (!report.rankings.empty()) fmt::print("\n");
  for (const advise::level_ranking& one : report.rankings) {
    fmt::print("{}\n", fitted(one.says, 150));
  }
  print_code(report.advices.front(), colour);
  if (report.others.empty()) return;
  fmt::print("\n{}\n", styled("Looked at, and not advised", style::bold, colour));
  std::size_t rows = 0;
  // What has figures says more than what was refused.
  std::vector<const advise::considered*> order;
  for (const int wanted : {2, 1, 0}) {
    for (const auto& one : report.others) {
      if ((one.tried ? 2 : one.gain ? 1 : 0) == wanted) order.push_back(&one);
    }
  }
  for (const advise::considered* const each : order) {
    const advise::considered& one = *each;
    if (++rows > 6) break;
    const std::string what =
        one.from.how == strategy::switch_malloc
            ? "malloc: " + one.from.malloc
            : std::string(advise::to_string(one.from.how)) + ", " + one.from.where.subsystem;
    fmt::print("   {:<44} {}{}\n", fitted(what, 44),
               one.tried  ? fmt::format("{}tried {:.2f}: ",
                                       one.gain ? fmt::format("{:.2f}, ", one.gain->median) : "",
                                        one.tried->times.median)
               : one.gain ? fmt::format("{:.2f}: ", one.gain->median)
                          : "",
               fitted(one.why_not, 95));
  }
  if (report.others.size() > 6) fmt::print("   and {} more (--json)\n", report.others.size() - 6);
}

}  // namespace mallard::cli
