#include "cli/live_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/profile_text.hpp"
#include "cli/terminal.hpp"

namespace mallard::cli {
namespace {

using base::count_text;

std::vector<watch::function_row> functions_in_order(const watch::rates& what, bool by_live) {
  std::vector<watch::function_row> rows = what.functions;
  if (by_live) {
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.live_bytes != b.live_bytes ? a.live_bytes > b.live_bytes : a.function < b.function;
    });
  }
  return rows;
}

std::string function_line(const watch::function_row& one, std::size_t width) {
  return fmt::format("{:>9} {:>11} {:>11} {:>9}  {}", count_text(one.allocations),
                     bytes_text(one.bytes), bytes_text(one.live_bytes), count_text(one.live_blocks),
                     fitted_function(one.function, width > 50 ? width - 46 : 8));
}

std::string thread_line(const watch::thread_row& one) {
  return fmt::format("{:>9} {:>11} {:>11} {:>9}  {}", count_text(one.allocations),
                     bytes_text(one.bytes), count_text(one.frees), one.tid, fitted(one.name, 16));
}

std::string totals(const watch::reading& now, const watch::rates& what) {
  return fmt::format("{:.1f} s: {} allocations/s of {}/s, {} frees/s; live about {}, resident {}",
                     now.seconds, count_text(what.allocations), bytes_text(what.bytes),
                     count_text(what.frees), bytes_text(what.live_bytes),
                     bytes_text(now.resident_bytes));
}

}  // namespace

std::string live_screen(const watch::reading& now, const watch::rates& what,
                        const std::string& title, const live_view& view) {
  std::vector<std::string> lines;
  lines.push_back(styled(fitted(title, view.width), style::bold, view.colour));
  lines.push_back(fitted(totals(now, what), view.width));
  lines.emplace_back();
  // Seven lines are always there.
  const std::size_t left = view.rows > 9 ? view.rows - 7 : 2;
  const std::size_t threads = std::min({what.threads.size(), left / 3, std::size_t{8}});
  const std::size_t functions = left - threads;
  const auto heading = [&](const std::string& text) {
    lines.push_back(styled(fitted(text, view.width), style::faint, view.colour));
  };
  heading(fmt::format("{:>9} {:>11} {:>11} {:>9}  {}", "alloc/s", "bytes/s", "live", "blocks",
                      "function (estimated from samples)"));
  const auto rows = functions_in_order(what, view.by_live_bytes);
  for (std::size_t i = 0; i < std::min(functions, rows.size()); ++i) {
    lines.push_back(fitted(function_line(rows[i], view.width), view.width));
  }
  lines.emplace_back();
  heading(fmt::format("{:>9} {:>11} {:>11} {:>9}  {}", "alloc/s", "bytes/s", "frees/s", "tid",
                      fmt::format("thread (of {})", what.threads.size())));
  for (std::size_t i = 0; i < threads; ++i) {
    lines.push_back(fitted(thread_line(what.threads[i]), view.width));
  }
  heading(fmt::format(
      "q quit   r by rate   l by live bytes{}",
      now.not_kept == 0 ? "" : fmt::format("   {} samples lost for lack of room", now.not_kept)));
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::string live_lines(const watch::reading& now, const watch::rates& what, const live_view& view) {
  constexpr std::size_t most_functions = 5;
  constexpr std::size_t most_threads = 3;
  std::string text = totals(now, what) + '\n';
  const auto rows = functions_in_order(what, view.by_live_bytes);
  for (std::size_t i = 0; i < std::min(most_functions, rows.size()); ++i) {
    const watch::function_row& one = rows[i];
    text += fmt::format("  function {}: {} allocations/s, {}/s, live {} in {} block{}\n",
                        fitted_function(one.function, 60), count_text(one.allocations),
                        bytes_text(one.bytes), bytes_text(one.live_bytes),
                        count_text(one.live_blocks), one.live_blocks == 1 ? "" : "s");
  }
  for (std::size_t i = 0; i < std::min(most_threads, what.threads.size()); ++i) {
    const watch::thread_row& one = what.threads[i];
    text += fmt::format("  thread {} {}: {} allocations/s, {}/s, {} frees/s\n", one.tid,
                        fitted(one.name, 16), count_text(one.allocations), bytes_text(one.bytes),
                        count_text(one.frees));
  }
  return text;
}

std::string live_summary(const watch::reading& last) {
  return fmt::format("in all: {} allocations of {}, {} frees; live at the end about {}\n",
                     last.all.allocations, bytes_text(last.all.bytes), last.all.frees,
                     bytes_text(watch::live_bytes(last)));
}

}  // namespace mallard::cli
