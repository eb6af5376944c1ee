#include "cli/replay_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/profile_text.hpp"
#include "cli/terminal.hpp"
#include "cli/text_table.hpp"

namespace mallard::cli {
namespace {

using replay::replay_outcome;

std::string figure_text(const replay_outcome& one, bool colour) {
  const std::string text = fmt::format("{:.2f}  ({:.2f} to {:.2f})", one.median, one.low, one.high);
  if (one.low > 1) return styled(text, style::good, colour);
  if (one.high < 1) return styled(text, style::bad, colour);
  return text;
}

std::string memory_text(double memory) {
  if (memory <= 0) return "-";
  return fmt::format("{:+.0f} %", (memory - 1) * 100);
}

std::string subject_line(const replay::replay_session::subject& of) {
  const replay::program_facts& facts = of.facts;
  std::string text = fmt::format("  {}: {} operations, {} live at its peak", fitted(of.name, 60),
                                 facts.own_operations, bytes_text(facts.own_peak_bytes));
  if (facts.by_scope) {
    text += fmt::format(
        "; ended by {} of {}, at most {} in one", base::counted(facts.epochs, "return"),
        of.scope == of.name ? "it" : fitted(of.scope, 60), bytes_text(facts.largest_epoch_bytes));
    if (facts.survivors > 0) {
      text +=
          fmt::format("; left to the global heap: {}", base::counted(facts.survivors, "survivor"));
    }
  } else if (facts.epochs > 0) {
    text += fmt::format("; all its blocks are dead {} times, at most {} in between", facts.epochs,
                        bytes_text(facts.largest_epoch_bytes));
  }
  return text + '\n';
}

using row = std::map<std::string, const replay_outcome*>;  // by touch level

double best_of(const row& all) {
  double best = 0;
  for (const auto& one : all) best = std::max(best, one.second->median);
  return best;
}

std::string table(const std::string& subsystem, const std::vector<std::string>& levels,
                  const std::map<std::string, row>& rows, bool colour) {
  std::vector<std::pair<double, std::string>> order;
  std::map<std::string, std::vector<std::string>> without;  // by reason
  for (const auto& [name, of] : rows) {
    const replay_outcome& first = *of.begin()->second;
    if (best_of(of) > 0) {
      order.push_back({-best_of(of), name});
    } else {
      without[first.remark].push_back(name);
    }
  }
  std::sort(order.begin(), order.end());
  std::string text = fmt::format("\n{}: times as fast as the global heap\n",
                                 styled(fitted(subsystem, 70), style::bold, colour));
  std::vector<text_table::column> columns = {{"touch level", text_table::left}};
  for (const std::string& level : levels) columns.push_back({level, text_table::right, 20});
  columns.push_back({"memory"});
  text_table figures(std::move(columns));
  for (const auto& one : order) {
    const row& of = rows.at(one.second);
    std::vector<std::string> cells = {one.second};
    double memory = 0;
    for (const std::string& level : levels) {
      const auto found = of.find(level);
      const bool there = found != of.end() && found->second->remark.empty();
      cells.push_back(there ? figure_text(*found->second, colour) : "-");
      if (there && memory == 0) memory = found->second->memory;
    }
    cells.push_back(memory_text(memory));
    figures.add(std::move(cells));
  }
  text += figures.text(colour, "  ");
  for (const auto& [why, names] : without) {
    text += styled(fmt::format("  no figure for {}: {}\n", fmt::join(names, ", "), why),
                   style::faint, colour);
  }
  return text;
}

}  // namespace

std::string subjects_text(const replay::replay_session& session) {
  const replay::program_facts& facts = session.subjects().front().facts;
  std::string text = fmt::format("Replaying {} heap operations", facts.operations);
  if (facts.handed > 0) text += fmt::format("; {} blocks pass between threads", facts.handed);
  if (facts.unknown_frees > 0) {
    text += fmt::format("; {} frees of blocks from before the recording are left out",
                        facts.unknown_frees);
  }
  text += '\n';
  for (const auto& one : session.subjects()) text += subject_line(one);
  return text;
}

std::string outcomes_text(const replay::replay_session& session,
                          const std::vector<replay_outcome>& outcomes, bool colour) {
  std::string text;
  for (const auto& subject : session.subjects()) {
    std::map<std::string, row> rows;
    std::vector<std::string> levels;
    for (const replay_outcome& one : outcomes) {
      if (one.subsystem != subject.name || one.strategy == "AS1@global") continue;
      rows[one.strategy][one.touch] = &one;
      if (std::find(levels.begin(), levels.end(), one.touch) == levels.end()) {
        levels.push_back(one.touch);
      }
    }
    if (!rows.empty()) text += table(subject.name, levels, rows, colour);
  }
  return text;
}

std::string loop_text(const std::vector<lab::cell_result>& cells) {
  for (const lab::cell_result& cell : cells) {
    const double ns = cell.ok() ? cell.median_of(replay::loop_measure) : std::nan("");
    if (std::isfinite(ns)) {
      return fmt::format(
          "\nThe replay loop itself takes {:.1f} ns an operation, which is subtracted.\n", ns);
    }
  }
  return "";
}

}  // namespace mallard::cli
