// The second reading of a trace: every operation goes to its subsystem's meter, and to the whole
// program's.
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
  // `of_stack`: the subsystem of each stack, for groupings that go by stacks.
  measurement(const trace_reader& trace, grouping by, const meter_setting& setting,
              std::vector<std::uint16_t> of_stack, subsystem_names names);

  // `also` are told the same.
  void read(trace_reader& trace, const selection& part, std::uint64_t peak_bytes,
            std::span<block_watcher* const> also);
  // Sets `all` and `subsystems`.
  void finish(dims_result& out);

  // block_stream calls these.
  void died(const recorded& one, const live_block& block, const block_end& how);
  void born(const recorded& one, live_block& block);
  void at_peak();
  void sample(const recorded& one);
  void scope(const recorded& one);
  // Only where resources are what is asked for: their blocks are parts of the heap's.
  void resource(const recorded& one);

 private:
  struct thread_state {
    std::uint32_t in = UINT32_MAX;  // the subsystem it was last seen in
    std::uint32_t as = UINT32_MAX;  // its own, where threads are what is asked for
    // By size class, whose it was that allocated last, as its number and 1; 0: nobody.
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
