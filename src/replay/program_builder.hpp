// Makes a program of the blocks of a trace. A stack, thread or scope makes a block the subsystem's.
// If there is an arena scope, an epoch ends with each of its invocations. Blocks alive at that
// moment go to the global heap from their birth on, where the program would have had to put them.
// Otherwise an epoch ends when nothing of the subsystem lives in the lane and enough was allocated
// since the last end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "profile/block_stream.hpp"
#include "profile/invocations.hpp"
#include "replay/decode.hpp"
#include "replay/survey.hpp"

namespace mallard::replay {

struct built_block : profile::live_block {
  std::uint64_t birth = 0;  // its number of birth
  profile::birthmark born_at;
  std::uint32_t slot = 0;
  std::uint32_t lane = 0;
  std::uint32_t position = 0;  // of the operation that made it, in its lane
  std::uint32_t before = 0;    // an index into earlier_: of the previous operations; 0: none
  std::uint8_t alignment_log2 = 0;
  bool own = false;
  bool by_new = false;
};

class program_builder : public profile::block_handler {
 public:
  // `scope`: the arena scope's function; `kept_blocks`: those with which the scope was found.
  program_builder(profile::trace_reader& trace, const profile::function_table& functions,
                  const trace_survey& survey, const decode_options& options, ownership own,
                  std::optional<std::uint32_t> scope, const std::vector<bool>& kept_blocks);

  program build();

  void next(const profile::recorded& one);
  void operation(const profile::recorded& one);
  void died(const profile::recorded& one, built_block& old, const profile::block_end& how);
  void born(const profile::recorded& one, built_block& fresh);
  void unknown_free(const profile::recorded& one);
  void scope(const profile::recorded& one);

 private:
  struct birth_place {
    std::uint64_t address = 0;
    std::uint64_t birth = 0;
  };
  struct lane_state {
    std::vector<std::uint32_t> free_slots;
    std::vector<birth_place> order;         // of the subsystem's blocks, some of which are dead
    std::vector<std::uint32_t> last_frees;  // positions, since its last allocation
    std::uint64_t live = 0;                 // of the subsystem
    std::uint64_t births_since_walk = 0;
    std::uint64_t epoch_bytes = 0;
    bool own = false;  // it allocates blocks of the subsystem
  };
  struct earlier_operation {
    std::uint32_t lane = 0;
    std::uint32_t position = 0;
    std::uint32_t before = 0;
  };

  std::uint32_t lane_of(const profile::recorded& one) const {
    return survey_.lane_of_thread[one.thread];
  }
  std::vector<replay::operation>& operations(std::uint32_t lane) { return made_.lanes[lane]; }
  bool is_own(const profile::recorded& one, std::uint32_t stack) const;
  void allocated(const profile::recorded& one, built_block& fresh);
  void freed(const profile::recorded& one, const built_block& old);
  void reallocated(const profile::recorded& one, const built_block& old, built_block& fresh);
  void look_for_end(std::uint32_t lane);
  void bear(const profile::recorded& one, built_block& fresh);
  void die(const built_block& old);
  void put(const profile::recorded& one, replay::operation what);
  replay::operation death_of(const built_block& old, verb kind) const;
  std::uint32_t take_slot(const built_block& fresh);
  void give_slot(const built_block& old);
  void end_epoch(std::uint32_t lane);
  void to_the_rest(built_block& survivor);
  void add_walk(std::uint32_t lane);
  void forget_dead(lane_state& lane);

  profile::trace_reader& trace_;
  const trace_survey& survey_;
  const decode_options& options_;
  ownership own_;
  std::vector<std::vector<std::uint64_t>> open_scopes_;  // by thread
  std::optional<std::uint32_t> scope_;
  const std::vector<bool>& kept_blocks_;
  std::optional<profile::invocation_tracker> tracker_;
  std::uint64_t invocations_ = 0;
  std::multimap<std::uint64_t, std::uint32_t> thread_ends_;
  std::vector<bool> zeroing_, new_;  // by entry point
  profile::block_stream<built_block> blocks_;
  std::optional<built_block> reallocated_;  // born again by the same operation
  gap_meter gaps_;
  std::vector<lane_state> lanes_;
  std::vector<earlier_operation> earlier_{1};
  std::uint64_t births_ = 0;
  std::uint32_t slots_ = 0;
  std::uint64_t own_bytes_ = 0;  // live
  program made_;
};

}  // namespace mallard::replay
