// Tells which invocations of functions are open on each thread, as far as the stacks of what was
// recorded tell, and how many of the blocks allocated below one are dead when it ends.
//
// A function is known to run while its frame is on its thread's stack: a frame is the same
// invocation's as long as its frame address, its function, and the return addresses of all frames
// outside it stay the same. It has ended when the thread is next seen without it. Between two
// sightings at the same addresses it may have returned and been called again with nothing recorded
// between: that is taken to have happened where nothing that was allocated below it lives, and the
// thread is seen in the function not behind the place where it was first seen there (code goes
// forward; a loop leads back to the first allocation just as a second call does). Blocks that are
// said to be kept are no reason against it: a handler of requests that puts every hundredth block
// into a cache is called again and again all the same.
//
// A block counts as dead before the function returned if the free was seen with the function on the
// stack. A free by another thread, or with no stack, counts when the function is then seen to go
// on, behind the place where it began; a second call looks like the first, so that proves nothing.
// Everything else, and what was never freed, survived the function.
//
// A function whose last act is a free often jumps there instead of calling: its frame is gone from
// the stack then. It is known by its caller, which is where it called the function: had that
// returned and the caller called free itself, it would be somewhere else. So the free is the
// function's, and the function ends with it.
// If it jumps to another function instead, that one's frame takes its place, at the same address:
// where it was called by name, not through a pointer, no other could be there, so it is taken to go
// on until it is called again.
//
// Open invocations of a thread are a path. A block belongs to a node of live blocks, a node to a
// frame; frames without blocks have none. A frame that ends hands its node to the frame outside, or
// hangs it below that frame's node: so the innermost open frame a block belongs to is found by
// going up, and the frames inside it are those which the block has survived.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profile/functions.hpp"
#include "profile/number_counts.hpp"
#include "profile/of_threads.hpp"
#include "profile/trace/number_index.hpp"

namespace mallard::profile {

struct block_sum {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

// The facts about one function's invocations; recursive ones are part of the outermost.
struct invocation_sum {
  std::uint64_t invocations = 0;  // that allocated anything
  std::uint64_t by_instant = 0;   // of them, told from the next by nothing of them being alive
  number_counts bytes;            // requested in each
  std::uint64_t most_blocks = 0;  // allocated in one
  thread_set threads;
};

// Main and a thread's function are called once. When nothing lives of what was asked for below
// them, a loop of theirs may have gone round: what comes from there to the next such instant is a
// turn, known by the place where it begins.
struct turn_sum {
  std::uint32_t function = 0;
  std::uint32_t first = 0;  // a stack whose innermost frame is the function's, where turns begin
  std::uint32_t low = 0;    // likewise, of the smallest address seen in them
  std::uint32_t high = 0;   // and of the largest
  std::uint64_t turns = 0;
  std::uint64_t blocks = 0;
  std::uint64_t kept = 0;  // of them: they are said to be kept
  number_counts bytes;     // of each turn
  thread_set threads;
};

// The place where a block was born: handed back when it dies.
struct birthmark {
  std::uint32_t node = 0;
  std::uint32_t stack = 0;
  std::uint32_t levels : 31 = 0;  // up to which frames were open when it was born
  std::uint32_t kept : 1 = 0;
};

class invocation_tracker {
 public:
  // `caller_of`: by stack, see trace_reader::stacks(); `functions` must outlive the tracker.
  invocation_tracker(const stack_list& stacks, const function_table& functions);
  invocation_tracker(const invocation_tracker&) = delete;
  invocation_tracker& operator=(const invocation_tracker&) = delete;

  // Effects: arrive() with this stack will be faster.
  void prefetch(std::uint32_t stack) const { stacks_.prefetch(stack); }
  // The thread was seen with this stack (not 0), where it freed or allocated.
  void arrive(std::uint32_t thread, std::uint32_t stack, bool frees);
  // A block was allocated where the thread has just arrived.
  birthmark birth(std::uint32_t thread, std::uint32_t stack, std::uint64_t bytes,
                  bool kept = false);
  // It was freed by `thread`, which has just arrived at `stack` (0: nobody knows where).
  void death(const birthmark& born, std::uint64_t bytes, std::uint32_t thread, std::uint32_t stack);
  // It lives when the recording ends: it has survived what has ended by then.
  void never(const birthmark& born, std::uint64_t bytes);
  void thread_ended(std::uint32_t thread);
  void finish();
  // Outlived everything that was open when it was born.
  static constexpr std::uint32_t all_frames = 0xffff;

  // In no order.
  std::vector<turn_sum> turns() const;
  // By function id; of the outermost of recursive invocations.
  const std::vector<invocation_sum>& sums() const { return sums_; }
  // Blocks by the stack they were allocated with, and the part of them that outlived the innermost
  // `ended` of its frames.
  struct survival {
    std::uint32_t stack;
    std::uint32_t ended;
    friend bool operator==(const survival&, const survival&) = default;
  };
  // visit(survival, block_sum), in any order.
  template <class Visit>
  void for_each_survival(const Visit& visit) const {
    for (std::size_t i = 1; i < survivals_.size(); ++i)
      visit(survivals_[i].what, survivals_[i].sum);
  }

 private:
  struct open_turn {
    std::uint32_t first = 0, low = 0, high = 0;  // as of turn_sum; 0: nothing was asked for yet
    std::uint64_t blocks = 0, bytes = 0;         // of the frame, when it began
    std::uint64_t kept = 0;
  };
  struct open_frame {
    std::uint32_t stack = 0;  // whose innermost frame this is
    std::uint32_t function = 0;
    std::uint32_t first_place = 0;  // where the thread was first seen in this invocation
    std::uint32_t node = 0;         // of its live blocks; 0: none
    bool recursive = false;         // the function is open further out
    std::uint64_t blocks = 0;       // allocated so far, by it and by what it called and ended
    std::uint64_t bytes = 0;
    open_turn turn;  // of a function that is called once
  };
  struct survival_sum {
    survival what{};
    block_sum sum;
  };
  // A free that counts if the function is then seen to go on.
  struct uncertain_death {
    std::uint32_t stack = 0;
    std::uint32_t levels = 0;
    std::uint32_t open_levels = 0;  // when it was freed
    friend auto operator<=>(const uncertain_death&, const uncertain_death&) = default;
  };
  struct path {
    std::uint32_t thread = 0;
    std::vector<open_frame> frames;    // outermost first
    std::uint32_t base = first_level;  // the level of frames[0]; less when frames outside turn up
    std::map<uncertain_death, block_sum> uncertain;
    bool in_tail = false;  // the innermost function's last act is the free that is told of now
  };
  struct live_node {
    std::uint32_t parent = 0;  // 0: its frame is open, or all its frames have ended
    std::uint32_t references = 0;
    std::uint32_t live = 0;   // blocks, with those of the nodes below, but for the kept
    std::uint32_t kept = 0;   // blocks, likewise
    std::uint32_t path = 0;   // 0: no frame is open any more
    std::uint32_t level = 0;  // of the open frame
  };
  static constexpr std::uint32_t first_level = 1u << 20;
  static constexpr std::size_t most_paths = 256;  // of a thread: stacks of coroutines

  bool same_frame(std::uint32_t one, std::uint32_t other) const;
  bool same_place(std::uint32_t one, std::uint32_t other) const;
  bool goes_on(const std::vector<open_frame>& frames, std::size_t level, std::uint32_t stack) const;
  struct meeting {
    std::uint32_t path = 0;   // an index into paths_
    std::size_t matched = 0;  // frames of the path that are still there
    std::size_t taken = 0;    // frames of chain_ that are those
  };
  meeting meet(std::uint32_t thread, std::uint32_t stack);
  meeting meet_cut(const std::vector<std::uint32_t>& mine) const;
  meeting compare(std::uint32_t id, std::size_t level) const;
  std::uint32_t new_path(std::uint32_t thread);
  void prepend(path& on, std::size_t missing);
  bool may_be_first(const open_frame& one) const;
  std::size_t possible_restart(const path& on, std::size_t matched) const;
  std::size_t lifeless_restart(const path& on, std::size_t matched) const;
  void count_functions(std::uint32_t id);
  void settle(path& on, std::size_t certain);
  bool is_tail_call(const path& on, const meeting& met, std::uint32_t stack) const;
  void leave_tail(std::uint32_t thread);
  bool is_called_once(std::uint32_t function) const;
  void follow_turn(path& on);
  void end_turn(open_frame& frame, std::uint32_t thread);
  void open(std::uint32_t id, std::uint32_t stack);
  void close(path& on, bool by_instant);
  void close_path(std::uint32_t id);
  std::uint32_t new_node();
  void unreference(std::uint32_t node);
  std::uint32_t top_node(std::uint32_t node) const;
  void survive(std::uint32_t stack, std::uint32_t ended, std::uint64_t blocks, std::uint64_t bytes);

  const stack_list& stacks_;
  const function_table& functions_;

  std::vector<path> paths_;  // [0] is none
  std::vector<std::uint32_t> free_paths_;
  of_threads<std::vector<std::uint32_t>> of_thread_;  // the latest last
  std::vector<live_node> nodes_;                      // [0] is none
  std::vector<std::uint32_t> free_nodes_;
  std::vector<invocation_sum> sums_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, turn_sum> turns_;  // by function and place
  std::vector<survival_sum> survivals_;                                // [0] is none
  number_index survival_index_;
  std::vector<std::uint32_t> open_functions_;  // by function: its open frames on counted_path_
  std::uint32_t counted_path_ = 0;             // 0: none is counted
  std::vector<std::uint32_t> chain_;           // the stack that is arriving, outermost first
};

}  // namespace mallard::profile
