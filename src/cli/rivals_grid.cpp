#include "cli/rivals_grid.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/short_figure.hpp"
#include "cli/terminal.hpp"
#include "lab/measuring/statistics.hpp"

namespace mallard::cli {
namespace {

constexpr int width = 9;
constexpr int name_width = 18;
// With more columns, the ratios do not fit beside the figures.
constexpr std::size_t most_beside = 5;

std::string column(std::string_view text) {
  return fmt::format("{:>{}}", text, width);
}

std::string first_column(std::string_view text) {
  return fmt::format("{:<{}}", text, name_width);
}

}  // namespace

void rivals_grid::add(const std::string& malloc, const label& column, std::optional<double> value) {
  rows_[malloc][column] = value;
  std::optional<double>& best = best_[column];
  if (!value || *value <= 0) return;
  if (!best || (*value < *best) != more_is_better_) best = value;
}

std::optional<double> rivals_grid::ratio(const label& column, std::optional<double> value) const {
  const std::optional<double>& best = best_.at(column);
  if (!value || *value <= 0 || !best) return std::nullopt;
  return more_is_better_ ? *best / *value : *value / *best;
}

std::string rivals_grid::heads() const {
  std::string text;
  for (const auto& entry : best_) text += column(entry.first.text);
  return text;
}

std::string rivals_grid::figures_of(const row& entries) const {
  std::string text;
  for (const auto& best : best_) {
    const auto found = entries.find(best.first);
    const bool there = found != entries.end();
    text += column(!there ? "" : found->second ? short_figure(*found->second) : "FAIL");
  }
  return text;
}

std::string rivals_grid::ratios_of(const row& entries, bool with_mean, bool colour) const {
  std::string text;
  std::vector<double> all;
  for (const auto& best : best_) {
    const auto found = entries.find(best.first);
    if (found == entries.end()) {
      text += column("");
      continue;
    }
    const std::optional<double> times = ratio(best.first, found->second);
    if (times) all.push_back(*times);
    const std::string shown = column(times ? short_figure(*times) : "-");
    // Red is three times as bad, or worse.
    text += times && colour ? on_heat(shown, std::log(*times) / std::log(3.0)) : shown;
  }
  if (!with_mean) return text;
  return text + column(all.empty() ? "-" : short_figure(lab::geometric_mean(all)));
}

std::string rivals_grid::text(const std::vector<std::string>& names, bool with_mean,
                              bool colour) const {
  const bool beside = best_.size() <= most_beside;
  const std::string mean = with_mean ? column("g.mean") : "";
  std::string figures = first_column(head_) + heads();
  std::string ratios = first_column("times the best") + heads() + mean + '\n';
  figures += beside ? fmt::format("   |{}{}\n", heads(), mean) : "\n";
  for (const std::string& name : names) {
    const auto found = rows_.find(name);
    if (found == rows_.end()) continue;
    const std::string times = ratios_of(found->second, with_mean, colour);
    figures += first_column(name) + figures_of(found->second);
    figures += beside ? fmt::format("   |{}\n", times) : "\n";
    ratios += fmt::format("{}{}\n", first_column(name), times);
  }
  return beside ? figures : figures + ratios;
}

}  // namespace mallard::cli
