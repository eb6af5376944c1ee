#include "profile/arena_loops.hpp"

#include <algorithm>
#include <map>
#include <optional>
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

struct own_place {
  std::uint64_t address;
  const symbol_line* line;  // null: it is not known
};

std::uint64_t address_of(const trace_reader& trace, std::uint32_t stack) {
  return trace.stacks().ip_of_place(trace.stacks().place(stack));
}

// By function: where the stacks of those with turns are in them.
std::map<std::uint32_t, std::vector<own_place>> places_of(const std::vector<turn_sum>& turns,
                                                          const trace_reader& trace,
                                                          const function_table& functions) {
  std::map<std::uint32_t, std::vector<own_place>> out;
  for (const turn_sum& one : turns) out[one.function];
  for (std::uint32_t stack = 1; !out.empty() && stack < trace.stacks().size(); ++stack) {
    const auto found = out.find(functions.of(stack));
    if (found == out.end()) continue;
    found->second.push_back({address_of(trace, stack), own_line(trace, stack)});
  }
  return out;
}

// Compilers place lines as they like, so those between the first address and the last count, too.
std::optional<found_loop> lines_of(const turn_sum& sum, const std::vector<own_place>& places,
                                   const trace_reader& trace) {
  const std::uint64_t low = address_of(trace, sum.low), high = address_of(trace, sum.high);
  const symbol_line* const first = own_line(trace, sum.low);
  if (first == nullptr) return {};
  found_loop out{&sum, trace.symbols().strings[first->file], first->line, first->line};
  for (const own_place& one : places) {
    if (one.address < low || one.address > high) continue;
    if (one.line == nullptr || one.line->file != first->file) return {};
    out.first = std::min(out.first, one.line->line);
    out.last = std::max(out.last, one.line->line);
  }
  return out;
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
  const auto places = places_of(turns, trace, functions);
  std::vector<found_loop> found;
  for (const turn_sum& one : turns) {
    if (one.turns < least_turns) continue;
    if (const auto made = lines_of(one, places.at(one.function), trace)) found.push_back(*made);
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
