#include "profile/arena_loops.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace mallard::profile {
namespace {

// With fewer turns it is no loop, or not worth an arena.
constexpr std::uint64_t least_turns = 8;
constexpr double most_kept = 0.01;

struct found_loop {
  const turn_sum* sum;
  std::string_view file;
  std::uint32_t first = 0, last = 0;  // lines
};

// The line in the function itself, not in a function inlined there.
const symbol_line* own_line(const trace_reader& trace, std::uint32_t stack) {
  const auto lines = trace.lines_of(stack);
  return lines.empty() || lines.back().line == 0 ? nullptr : &lines.back();
}

arena_loop loop_of(const std::vector<const found_loop*>& parts, const function_table& functions) {
  arena_loop out;
  number_counts bytes;
  thread_set threads;
  const found_loop* most = parts.front();
  for (const found_loop* one : parts) {
    if (one->sum->bytes.sum() > most->sum->bytes.sum()) most = one;
  }
  out.function = functions[most->sum->function].name;
  out.file = most->file;
  out.first_line = most->first;
  out.last_line = most->last;
  for (const found_loop* one : parts) {
    out.first_line = std::min(out.first_line, one->first);
    out.last_line = std::max(out.last_line, one->last);
    out.blocks += one->sum->blocks;
    out.kept += one->sum->kept;
    out.total_bytes += one->sum->bytes.sum();
    out.turns = std::max(out.turns, one->sum->turns);
    threads.insert(one->sum->threads);
  }
  out.threads.assign(threads.begin(), threads.end());
  out.median_bytes = most->sum->bytes.quantile(0.5);
  out.p99_bytes = most->sum->bytes.quantile(0.99);
  out.max_bytes = most->sum->bytes.max();
  return out;
}

}  // namespace

std::vector<arena_loop> find_arena_loops(const invocation_tracker& tracker,
                                         const trace_reader& trace,
                                         const function_table& functions) {
  const std::vector<turn_sum> turns = tracker.turns();
  std::vector<found_loop> found;
  for (const turn_sum& one : turns) {
    const symbol_line* const low = own_line(trace, one.low);
    const symbol_line* const high = own_line(trace, one.high);
    if (one.turns < least_turns || low == nullptr || high == nullptr || low->file != high->file) {
      continue;
    }
    const auto [first, last] = std::minmax(low->line, high->line);
    found.push_back({&one, trace.symbols().strings[low->file], first, last});
  }
  std::sort(found.begin(), found.end(), [](const found_loop& a, const found_loop& b) {
    return std::tie(a.sum->function, a.file, a.first) < std::tie(b.sum->function, b.file, b.first);
  });
  std::vector<arena_loop> out;
  for (std::size_t i = 0; i < found.size();) {
    std::vector<const found_loop*> same = {&found[i]};
    std::uint32_t last = found[i].last;
    std::size_t next = i + 1;
    for (; next < found.size(); ++next) {
      const found_loop& one = found[next];
      if (one.sum->function != same.front()->sum->function || one.file != same.front()->file) break;
      // All places of one loop have equally many turns, even if their lines do not overlap.
      const bool together = one.first <= last || one.sum->turns == same.back()->sum->turns;
      if (!together) break;
      same.push_back(&one);
      last = std::max(last, one.last);
    }
    i = next;
    arena_loop made = loop_of(same, functions);
    if (static_cast<double>(made.kept) <= most_kept * static_cast<double>(made.blocks)) {
      out.push_back(std::move(made));
    }
  }
  std::sort(out.begin(), out.end(), [](const arena_loop& a, const arena_loop& b) {
    return std::tie(b.total_bytes, a.first_line) < std::tie(a.total_bytes, b.first_line);
  });
  return out;
}

}  // namespace mallard::profile
