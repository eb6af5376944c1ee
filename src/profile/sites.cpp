#include "profile/sites.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
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

site site_of(std::string function, std::string file, std::uint32_t line, const stack_weights& sum) {
  return {std::move(function), std::move(file),   line,
          sum.bytes,           sum.operations,    sum.peak_bytes,
          sum.leaked_bytes,    sum.leaked_blocks, sum.temporary,
          sum.nanoseconds};
}

bool more_bytes(const site& a, const site& b) {
  return std::tie(b.bytes, b.peak_bytes, b.leaked_bytes, a.function, a.file, a.line) <
         std::tie(a.bytes, a.peak_bytes, a.leaked_bytes, b.function, b.file, b.line);
}

site_counter::site_counter(const trace_reader& trace, const function_table& functions)
    : trace_(trace), functions_(functions), sums_(trace.stacks().size()) {
  for (const function& one : functions.functions()) {
    of_heap_.push_back(is_allocation_function(one.name));
  }
}

void site_counter::outlived(const live_block& block) {
  sums_[block.stack].leaked_bytes += block.bytes;
  ++sums_[block.stack].leaked_blocks;
}

void site_counter::at_peak() {
  live_->for_each([&](const live_block& one) {
    stack_weights& own = sums_[one.stack];
    own.peak_bytes += one.bytes;
    ++own.peak_blocks;
  });
}

void site_counter::sample(const recorded& one) {
  sums_[one.what.stack].nanoseconds += trace_.facts().process.cpu_sample_ns;
}

// The stack to charge: at the innermost function outside the heap.
std::uint32_t site_counter::charged(std::uint32_t stack) const {
  std::uint32_t at = stack;
  while (of_heap_[functions_.of(at)] && trace_.stacks().parent(at) != 0) {
    at = trace_.stacks().parent(at);
  }
  return at;
}

std::vector<site> site_counter::list(bool by_line) const {
  // There are many stacks and few places. An address that belonged to two modules is distinguished
  // by its function.
  std::unordered_map<std::uint64_t, std::pair<std::uint32_t, stack_weights>> sums;
  for (std::uint32_t stack = 0; stack < sums_.stacks(); ++stack) {
    if (!sums_.has(stack)) continue;
    const stack_weights& one = sums_.of(stack);
    if (one.operations == 0 && one.nanoseconds == 0) continue;
    const std::uint32_t at = charged(stack);
    const std::uint64_t place = trace_.stacks().place(at);
    auto& [where, sum] = sums[std::uint64_t{functions_.of(at)} << 32 | place];
    where = at;
    sum += one;
  }
  std::map<std::tuple<std::string, std::string, std::uint32_t>, stack_weights> places;
  for (const auto& [key, found] : sums) {
    source_line where = functions_.line(found.first);
    if (!by_line) where = {where.function, "", 0};
    if (found.first == 0) where.function = "(no stack)";
    places[{where.function, where.file, where.line}] += found.second;
  }
  std::vector<site> out;
  for (const auto& [place, sum] : places) {
    const auto& [function, file, line] = place;
    out.push_back(site_of(function, file, line, sum));
  }
  std::sort(out.begin(), out.end(), more_bytes);
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
