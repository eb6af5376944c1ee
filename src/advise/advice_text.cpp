#include "advise/advice_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "advise/proof.hpp"
#include "advise/trial.hpp"
#include "profile/result_json.hpp"

namespace mallard::advise {
namespace {

using json = nlohmann::ordered_json;

json to_json(const interval& one) {
  return {{"low", one.low}, {"median", one.median}, {"high", one.high}};
}

json to_json(const std::optional<metric_figures>& metric, bool told) {
  if (!metric) return nullptr;
  return {{"value", metric->value},
          {"low", told ? json(metric->share.low) : json(nullptr)},
          {"median", metric->share.median},
          {"high", told ? json(metric->share.high) : json(nullptr)}};
}

// Few runs have no interval.
json to_json(const std::optional<trial_figures>& tried) {
  if (!tried) return nullptr;
  const bool told = tried->runs >= enough_runs;
  return {{"low", told ? json(tried->times.low) : json(nullptr)},
          {"median", tried->times.median},
          {"high", told ? json(tried->times.high) : json(nullptr)},
          {"runs", tried->runs},
          {"metric", to_json(tried->metric, told)}};
}

json place_json(const candidate& one) {
  return {{"subsystem", one.where.subsystem}, {"function", one.where.function},
          {"file", one.where.file},           {"line", one.where.line},
          {"type", one.where.type},           {"container", one.where.container.in("std::")}};
}

json strategy_json(const candidate& one) {
  return one.how == strategy::switch_malloc ? "switch-malloc:" + one.malloc
                                            : std::string(to_string(one.how));
}

json to_json(const advice& one) {
  json out = {{"what", one.what},
              {"where", place_json(one.from)},
              {"strategy", strategy_json(one.from)},
              {"route", route_of(one.from)},
              {"kept_by", one.from.kept_by},
              {"gain", one.untold.empty() ? to_json(one.gain) : json(nullptr)},
              {"untold", one.untold},
              {"replays", one.replays},
              {"of_operations", to_json(one.of_operations)},
              {"memory", one.memory > 0 ? json(one.memory) : json(nullptr)},
              {"bound", one.from.bound},
              {"confidence", one.confidence},
              {"evidence", json::array()},
              {"doubts", json::array()},
              {"tried", to_json(one.tried)},
              {"tried_memory", one.tried ? json(one.tried->memory) : json(nullptr)},
              {"tried_remark", one.tried_remark},
              {"beside_malloc", one.beside_malloc},
              {"tried_beside_malloc", to_json(one.tried_beside_malloc)},
              {"code", one.code}};
  for (const doubt& each : one.from.doubts) out["doubts"].push_back(each.says);
  for (const evidence& each : one.from.because) {
    out["evidence"].push_back({{"what", each.what}, {"says", each.says}});
  }
  return out;
}

json to_json(const replayed_cell& one) {
  return {{"subsystem", one.subsystem},
          {"strategy", one.strategy},
          {"touch", one.touch},
          {"of_operations", one.of_operations ? to_json(*one.of_operations) : json(nullptr)},
          {"memory", one.memory > 0 ? json(one.memory) : json(nullptr)},
          {"remark", one.remark}};
}

json to_json(const level_ranking& one) {
  json order = json::array();
  for (const level_ranking::place& each : one.order) {
    order.push_back({{"strategy", each.strategy}, {"times", each.times}});
  }
  return {{"subsystem", one.subsystem}, {"touch", one.touch}, {"order", order}, {"says", one.says}};
}

json to_json(const considered& one) {
  return {{"where", place_json(one.from)},
          {"strategy", strategy_json(one.from)},
          {"route", route_of(one.from)},
          {"gain", one.gain ? to_json(*one.gain) : json(nullptr)},
          {"memory", one.memory ? json(*one.memory) : json(nullptr)},
          {"tried", to_json(one.tried)},
          {"tried_memory", one.tried ? json(one.tried->memory) : json(nullptr)},
          {"why_not", one.why_not}};
}

// Text without what would end a table's cell or a line.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string name_of(const candidate& one) {
  if (one.how == strategy::switch_malloc) return "the malloc " + one.malloc;
  return fmt::format("{} for {}", to_string(one.how), one.where.subsystem);
}

std::string times_text(const interval& times) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", times.median, times.low, times.high);
}

std::string memory_text(double memory) {
  if (memory <= 0) return "memory unknown";
  const double percent = std::round(100 * (memory - 1));
  if (percent == 0) return "the same memory";
  return fmt::format("{:.0f} % {} memory", std::abs(percent), percent > 0 ? "more" : "less");
}

json to_json(const advice_report& report) {
  const json metric = report.metric.empty()
                          ? json(nullptr)
                          : json{{"pattern", report.metric}, {"as_it_is", report.metric_as_it_is}};
  json out = {{"version", 1},
              {"trace", report.trace},
              {"command", report.command},
              {"duration_ns", report.duration_ns},
              {"cpu_ns", report.cpu_ns},
              {"allocations", report.allocations},
              {"peak_bytes", report.peak_bytes},
              {"resident_bytes", report.resident_as_it_is},
              {"heap", profile::to_json(report.heap)},
              {"bound", to_json(report.bound)},
              {"metric", metric},
              {"program_runs", report.program_runs},
              {"tried_on_the_program", report.on_the_program},
              {"proved", report.proved},
              {"proof", report.proof},
              {"remarks", report.remarks},
              {"advice", json::array()},
              {"considered", json::array()},
              {"replays", json::array()},
              {"rankings", json::array()}};
  for (const advice& one : report.advices) out["advice"].push_back(to_json(one));
  for (const considered& one : report.others) out["considered"].push_back(to_json(one));
  for (const replayed_cell& one : report.replays) out["replays"].push_back(to_json(one));
  for (const level_ranking& one : report.rankings) out["rankings"].push_back(to_json(one));
  return out;
}

std::string to_markdown(const advice_report& report) {
  std::string out =
      fmt::format("### Memory: `{}`\n\n", cell(fmt::format("{}", fmt::join(report.command, " "))));
  const advice& first = report.advices.front();
  out += fmt::format("**{}**", cell(first.what));
  if (first.from.how != strategy::global) {
    const std::string gain = first.tried ? tried_text(*first.tried) : predicted_text(first);
    if (first.tried || first.untold.empty()) {
      out += fmt::format(": the program {} times as fast, {}", gain,
                         memory_text(first.tried ? first.tried->memory : first.memory));
    }
  }
  out += '.';
  if (!report.proof.empty()) out += ' ' + cell(report.proof);
  out +=
      "\n\n| advice | where | times as fast | memory | confidence |\n"
      "|---|---|---|---|---|\n";
  for (const advice& one : report.advices) {
    const std::string file = one.from.where.file.substr(one.from.where.file.rfind('/') + 1);
    out += fmt::format("| {} | {} | {} | {} | {} |\n", cell(one.what),
                       file.empty() ? "" : fmt::format("{}:{}", cell(file), one.from.where.line),
                       one.tried ? tried_text(*one.tried) : predicted_text(one),
                       memory_text(one.memory), one.confidence);
  }
  for (const advice& one : report.advices) {
    if (one.code.empty()) continue;
    const bool shell = one.from.how == strategy::switch_malloc;
    out += fmt::format("\n<details><summary>{}</summary>\n\n```{}\n{}```\n\n</details>\n",
                       cell(one.what), shell ? "sh" : "cpp", one.code);
  }
  return out;
}

}  // namespace mallard::advise
