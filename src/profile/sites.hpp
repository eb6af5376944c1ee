// The list of `mallard top`: bytes, operations and what is left, by function or by line of the
// source.
#pragma once

#include <string>
#include <vector>

#include "profile/block_stream.hpp"
#include "profile/functions.hpp"
#include "profile/of_stacks.hpp"
#include "profile/result.hpp"
#include "profile/stack_weights.hpp"

namespace mallard::profile {

// A row of the list, with a place's sums; and the order of the list, the most bytes first.
site site_of(std::string function, std::string file, std::uint32_t line, const stack_weights& sum);
bool more_bytes(const site& a, const site& b);

// Sums by stack. Memory: about seventy bytes for each that anything happened at.
class site_counter final : public block_watcher {
 public:
  // `trace` and `functions` must outlive it.
  site_counter(const trace_reader& trace, const function_table& functions);

  // When all has been told: the most bytes first.
  std::vector<site> list(bool by_line) const;
  // By stack.
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

// Each stack is charged to its innermost function that is not the heap's, inlined or not; a
// library's that was inlined stands for the one it is in. Reads the events twice: what is live when
// the heap is largest is known only when all has been seen.
std::vector<site> list_sites(trace_reader& trace, const function_table& functions, bool by_line);

}  // namespace mallard::profile
