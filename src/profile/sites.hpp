// The list of `mallard top`: bytes, operations and leaks, by function or by source line.
#pragma once

#include <string>
#include <vector>

#include "profile/block_stream.hpp"
#include "profile/functions.hpp"
#include "profile/of_stacks.hpp"
#include "profile/result.hpp"
#include "profile/stack_weights.hpp"

namespace mallard::profile {

// A row of the list with a place's sums; and the order of the list, the most bytes first.
site site_of(std::string function, std::string file, std::uint32_t line, const stack_weights& sum);
bool more_bytes(const site& a, const site& b);

// Sums by stack. Memory: about 70 bytes for each stack with events.
class site_counter final : public block_watcher {
 public:
  // `trace` and `functions` must outlive it.
  site_counter(const trace_reader& trace, const function_table& functions);

  // Call it at the end. The most bytes first.
  std::vector<site> list(bool by_line) const;
  const of_stacks<stack_weights>& weights() const { return sums_; }

  void begin(const live_table<live_block>& live) override { live_ = &live; }
  void next(const recorded&) override {}
  void operation(const recorded& one) override { ++sums_[one.what.stack].operations; }
  void died(const recorded&, const live_block& block, const block_end& how) override {
    if (how.temporary) ++sums_[block.stack].temporary;
  }
  void born(const recorded&, const live_block& block) override {
    stack_weights& own = sums_[block.stack];
    own.bytes += block.bytes;
    ++own.allocations;
  }
  void outlived(const live_block& block) override;
  void end() override { live_ = nullptr; }
  void at_peak() override;
  void sample(const recorded& one) override;

 private:
  std::uint32_t charged(std::uint32_t stack) const;

  const trace_reader& trace_;
  const function_table& functions_;
  of_stacks<stack_weights> sums_;
  std::vector<bool> of_heap_;  // by function
  const live_table<live_block>* live_ = nullptr;
};

// Charges each stack to its innermost function outside the heap, inlined or not; an inlined library
// function is charged to the function that contains it. Reads the events twice, because only the
// end shows when the heap was largest.
std::vector<site> list_sites(trace_reader& trace, const function_table& functions, bool by_line);

}  // namespace mallard::profile
