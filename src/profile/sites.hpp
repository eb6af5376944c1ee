// What `mallard top` lists: bytes, operations and what is left, by function or by line of the
// source.
#pragma once

#include <vector>

#include "profile/block_stream.hpp"
#include "profile/functions.hpp"
#include "profile/of_stacks.hpp"
#include "profile/result.hpp"
#include "profile/stack_weights.hpp"

namespace mallard::profile {

// Sums by stack. Memory: about a hundred bytes for each that anything happened at.
class site_counter final : public block_watcher {
 public:
  // `trace` and `functions` must outlive it.
  site_counter(const trace_reader& trace, const function_table& functions);

  // When all has been told: the most bytes first.
  std::vector<site> list(bool by_line) const;

  void begin(const live_table<live_block>& live) override { live_ = &live; }
  void next(const recorded&) override {}
  void operation(const recorded& one) override { ++sums_[one.what.stack].operations; }
  void died(const recorded&, const live_block& block, const block_end& how) override {
    sums_[block.stack].temporary += how.temporary;
  }
  void born(const recorded&, const live_block& block) override {
    sums_[block.stack].bytes += block.bytes;
    ++sums_[block.stack].allocations;
  }
  void outlived(const live_block& block) override;
  void end() override { live_ = nullptr; }
  void at_peak() override;
  void sample(const recorded& one) override;

 private:
  struct stack_sum : stack_weights {
    std::uint64_t peak_bytes = 0;
    stack_sum& operator+=(const stack_sum& other) {
      stack_weights::operator+=(other);
      peak_bytes += other.peak_bytes;
      return *this;
    }
  };
  std::vector<std::uint32_t> charged() const;

  const trace_reader& trace_;
  const function_table& functions_;
  of_stacks<stack_sum> sums_;
  const live_table<live_block>* live_ = nullptr;
};

// Reads the events twice: what is live when the heap is largest is known only when all has been
// seen.
std::vector<site> list_sites(trace_reader& trace, const function_table& functions, bool by_line);

}  // namespace mallard::profile
