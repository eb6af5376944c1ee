// What `mallard top` lists.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profile/analysis.hpp"
#include "profile/live_table.hpp"

namespace mallard::profile {
namespace {

struct block {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t order = 0;
  std::uint32_t stack = 0;
  std::uint32_t thread = 0;
};

// Sums by stack. What is live when the heap is largest is known only when all has been seen: the
// first pass finds that instant, the second stops there and looks.
class by_stack {
 public:
  explicit by_stack(std::size_t stacks, std::uint64_t peak) : sums(stacks), peak_(peak) {}

  std::vector<site> sums;
  std::uint64_t peak_bytes = 0;

  void born(std::uint32_t thread, const event& what) {
    const std::uint32_t stack = known(what.stack);
    sums[stack].bytes += what.size;
    ++sums[stack].operations;
    if (what.address == 0) return;
    if (block* const old = live_.find(what.address)) remove(old);
    live_.insert({what.address, what.size, ++operations_[thread], stack, thread});
    live_bytes_ += what.size;
    peak_bytes = std::max(peak_bytes, live_bytes_);
    if (live_bytes_ == peak_ && !taken_) {
      taken_ = true;
      live_.for_each([&](const block& one) { sums[one.stack].peak_bytes += one.bytes; });
    }
  }

  void died(std::uint32_t thread, const event& what, std::uint64_t address) {
    const bool again = what.kind == event_kind::reallocate;
    const std::uint64_t order = operations_[thread] + (again ? 0 : 1);
    operations_[thread] = order;
    if (!again) ++sums[known(what.stack)].operations;
    block* const old = live_.find(address);
    if (!old) return;
    if (!again && old->thread == thread && old->order + 1 == order) ++sums[old->stack].temporary;
    remove(old);
  }

  void finish() {
    live_.for_each([&](const block& one) {
      sums[one.stack].leaked_bytes += one.bytes;
      ++sums[one.stack].leaked_blocks;
    });
  }
  std::uint32_t known(std::uint32_t stack) const { return stack < sums.size() ? stack : 0; }

 private:
  void remove(block* old) {
    live_bytes_ -= old->bytes;
    live_.erase(old);
  }

  live_table<block> live_;
  std::unordered_map<std::uint32_t, std::uint64_t> operations_;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t peak_;
  bool taken_ = false;
};

void run(trace_reader& trace, by_stack& sums) {
  auto events = trace.events();
  const std::uint64_t sample_ns = trace.facts().process.cpu_sample_ns;
  recorded one;
  while (events.next(one)) {
    const event& what = one.what;
    if (one.sample) {
      sums.sums[sums.known(what.stack)].cpu_ns += sample_ns;
      continue;
    }
    if (what.function == resource_function) continue;
    if (what.kind == event_kind::free) sums.died(one.thread, what, what.address);
    if (what.kind == event_kind::allocate) sums.born(one.thread, what);
    if (what.kind != event_kind::reallocate || (what.address == 0 && what.size != 0)) continue;
    if (what.old_address != 0) sums.died(one.thread, what, what.old_address);
    if (what.address != 0) sums.born(one.thread, what);
  }
  sums.finish();
}

}  // namespace

std::vector<site> list_sites(trace_reader& trace, bool by_line) {
  const function_table functions(trace);
  by_stack first(trace.stacks().size(), UINT64_MAX);
  run(trace, first);
  by_stack second(trace.stacks().size(), first.peak_bytes);
  run(trace, second);
  using place = std::tuple<std::string, std::string, std::uint32_t>;
  std::map<place, site> places;
  for (std::uint32_t stack = 0; stack < second.sums.size(); ++stack) {
    const site& one = second.sums[stack];
    if (one.operations == 0 && one.cpu_ns == 0) continue;
    std::uint32_t at = stack;  // the innermost function that is not the heap's
    while (trace.stacks()[at].parent != 0 &&
           is_allocation_function(functions[functions.of(at)].name)) {
      at = trace.stacks()[at].parent;
    }
    source_line where = functions.line(at);
    if (!by_line) where = {functions[functions.of(at)].name, "", 0};
    if (stack == 0) where.function = "(no stack)";
    site& sum = places[{where.function, where.file, where.line}];
    sum.function = where.function;
    sum.file = where.file;
    sum.line = where.line;
    sum.bytes += one.bytes;
    sum.operations += one.operations;
    sum.peak_bytes += one.peak_bytes;
    sum.leaked_bytes += one.leaked_bytes;
    sum.leaked_blocks += one.leaked_blocks;
    sum.temporary += one.temporary;
    sum.cpu_ns += one.cpu_ns;
  }
  std::vector<site> out;
  for (auto& [where, sum] : places) out.push_back(std::move(sum));
  std::sort(out.begin(), out.end(), [](const site& a, const site& b) {
    return std::tie(b.bytes, a.function, a.file, a.line) <
           std::tie(a.bytes, b.function, b.file, b.line);
  });
  return out;
}

}  // namespace mallard::profile
