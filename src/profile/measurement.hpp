// The second reading of a trace: each operation goes to the meter of its subsystem and to that of
// the whole program.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profile/block_stream.hpp"
#include "profile/placement.hpp"
#include "profile/subsystem_meter.hpp"
#include "profile/subsystem_rules.hpp"

namespace mallard::profile {

class measurement final : public block_handler {
 public:
  // `of_stack`: the subsystem of each stack, for groupings by stack.
  measurement(const trace_reader& trace, grouping by, const meter_setting& setting,
              std::vector<std::uint16_t> of_stack, subsystem_names names);

  // `also` get the same calls.
  void read(trace_reader& trace, const selection& part, std::uint64_t peak_bytes,
            std::span<block_watcher* const> also);
  // Effects: sets `all`, `heap` and `subsystems`.
  void finish(dims_result& out);

  // Called by block_stream.
  void died(const recorded& one, const live_block& block, const block_end& how);
  void born(const recorded& one, live_block& block);
  void at_peak();
  void sample(const recorded& one);
  void scope(const recorded& one);
  // Only if subsystems are resources: their blocks are parts of the heap's blocks.
  void resource(const recorded& one);

 private:
  struct thread_state {
    std::uint32_t in = UINT32_MAX;  // the subsystem where it was last seen
    std::uint32_t as = UINT32_MAX;  // its own, if subsystems are threads
    // By size class: the subsystem that allocated last, plus 1; 0: none.
    std::array<std::uint32_t, 256> last_of_class{};
    std::vector<std::uint64_t> scopes;  // that it is in
  };

  subsystem_meter& meter(std::uint32_t id);
  std::uint16_t subsystem_of(const recorded& one);
  void arrive(std::uint32_t thread, std::uint32_t id);
  placements places() const;

  const trace_reader& trace_;
  grouping by_;
  meter_setting setting_;
  std::vector<std::uint16_t> of_stack_;
  subsystem_names names_;
  block_stream<live_block> blocks_;
  subsystem_meter all_;
  std::vector<std::unique_ptr<subsystem_meter>> meters_;
  of_threads<thread_state> threads_;
  live_table<live_block> carved_;  // blocks of memory resources
};

}  // namespace mallard::profile
