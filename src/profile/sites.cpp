#include "profile/sites.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace mallard::profile {
namespace {

struct peak_finder final : block_handler {
  void born(const recorded&, const live_block& block) {
    live += block.bytes;
    peak = std::max(peak, live);
  }
  void died(const recorded&, const live_block& block, const block_end&) { live -= block.bytes; }

  std::uint64_t live = 0;
  std::uint64_t peak = 0;
};

}  // namespace

site_counter::site_counter(const trace_reader& trace, const function_table& functions)
    : trace_(trace), functions_(functions), sums_(trace.stacks().size()) {}

void site_counter::outlived(const live_block& block) {
  sums_[block.stack].leaked_bytes += block.bytes;
  ++sums_[block.stack].leaked_blocks;
}

void site_counter::at_peak() {
  live_->for_each([&](const live_block& one) { sums_[one.stack].peak_bytes += one.bytes; });
}

void site_counter::sample(const recorded& one) {
  sums_[one.what.stack].nanoseconds += trace_.facts().process.cpu_sample_ns;
}

// Where it is charged: the innermost function that is not the heap's.
std::vector<std::uint32_t> site_counter::charged() const {
  std::vector<bool> of_heap;
  for (const function& one : functions_.functions()) {
    of_heap.push_back(is_allocation_function(one.name));
  }
  const auto& stacks = trace_.stacks();
  std::vector<std::uint32_t> out(sums_.stacks());
  for (std::uint32_t stack = 1; stack < out.size(); ++stack) {
    const bool passes_on = of_heap[functions_.of(stack)] && stacks[stack].parent != 0;
    out[stack] = passes_on ? out[stacks[stack].parent] : stack;
  }
  return out;
}

std::vector<site> site_counter::list(bool by_line) const {
  // Stacks are many, places few: an address that was two modules' is told apart by its function.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<std::uint32_t, stack_sum>> sums;
  const std::vector<std::uint32_t> at = charged();
  for (std::uint32_t stack = 0; stack < sums_.stacks(); ++stack) {
    const stack_sum& one = sums_.of(stack);
    if (one.operations == 0 && one.nanoseconds == 0) continue;
    const std::uint64_t ip = by_line ? trace_.stacks()[at[stack]].ip : 0;
    auto& [where, sum] = sums[{functions_.of(at[stack]), ip}];
    where = at[stack];
    sum += one;
  }
  std::map<std::tuple<std::string, std::string, std::uint32_t>, stack_sum> places;
  for (const auto& [key, found] : sums) {
    source_line where = functions_.line(found.first);
    if (!by_line) where = {functions_[key.first].name, "", 0};
    if (found.first == 0) where.function = "(no stack)";
    places[{where.function, where.file, where.line}] += found.second;
  }
  std::vector<site> out;
  for (const auto& [place, sum] : places) {
    const auto& [function, file, line] = place;
    out.push_back({function, file, line, sum.bytes, sum.operations, sum.peak_bytes,
                   sum.leaked_bytes, sum.leaked_blocks, sum.temporary, sum.nanoseconds});
  }
  std::sort(out.begin(), out.end(), [](const site& a, const site& b) {
    return std::tie(b.bytes, a.function, a.file, a.line) <
           std::tie(a.bytes, b.function, b.file, b.line);
  });
  return out;
}

std::vector<site> list_sites(trace_reader& trace, const function_table& functions, bool by_line) {
  peak_finder first;
  block_stream(trace).run(trace.events(), first);
  site_counter second(trace, functions);
  block_stream blocks(trace);
  blocks.expect_peak(first.peak);
  second.begin(blocks.live());
  block_watcher* const watched[] = {&second};
  watchers to(watched);
  blocks.run(trace.events(), to);
  return second.list(by_line);
}

}  // namespace mallard::profile
