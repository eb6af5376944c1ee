// Tells which invocations of functions are open on each thread, and how many of the blocks
// allocated in each are dead when it ends. It knows only the stacks of recorded events.
//
// A function runs while its frame is on its thread's stack. Two sightings show the same invocation
// if the frame address, the function, and the return addresses of all frames outside it are
// unchanged. The invocation has ended if the thread is next seen without it. It may also have
// returned and been called again in between, with nothing recorded. That is assumed if nothing
// allocated below it lives and the thread is not seen behind the place where it was first seen in
// the function: code goes forward, and a loop leads back to the first allocation as a second call
// does. Blocks said to be kept do not count as alive here: a request handler that puts every
// hundredth block into a cache is called again and again nevertheless.
//
// A recording that begins late joins each thread inside calls, of which the first place is not
// known. Such a call has ended when the thread comes, with nothing alive below it, to a place where
// it had come so before. That may be a turn of a loop, but the next true call begins before that
// place.
//
// A block is dead before the function returned if its free was seen with the function on the stack.
// A free by another thread, or without a stack, counts only if the function is then seen to go on
// behind the place where it began; a second call looks like the first and proves nothing. All other
// blocks are counted as survivors of the function, and so are blocks that are never freed. For
// those which others freed between two sightings that prove nothing, that is a guess, and they are
// counted as such, too.
//
// A function whose last act is a free often jumps there (a tail call), so its frame is gone. Its
// caller reveals it: the caller's frame is still where it called the function. The free counts as
// the function's, which ends with it. If the function jumps to another function instead, that one's
// frame takes its place at the same address. If the call was direct, no other function could be
// there, so the invocation goes on until it is called again.
//
// The open invocations of a thread form a path. A block belongs to a node of live blocks, and a
// node to a frame; frames without blocks have none. A frame that ends gives its node to the frame
// outside, or hangs it below that frame's node. So the innermost open frame of a block is found by
// going up, and the frames inside it are those that the block has survived. The nodes are a
// union-find forest, so the way up is short.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
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

// Sums of one function's invocations; recursive ones count as part of the outermost.
struct invocation_sum {
  std::uint64_t invocations = 0;  // that allocated something
  std::uint64_t by_instant = 0;   // of them, ended only by an instant without live blocks
  number_counts bytes;            // requested in each
  std::uint64_t most_blocks = 0;  // allocated in one
  thread_set threads;
};

// Main and a thread's function are called once, so loops in them need another rule. Each instant at
// which nothing allocated below them lives may be the end of a turn. A turn lasts from one such
// instant to the next and is identified by the place where it begins.
struct turn_sum {
  std::uint32_t function = 0;
  std::uint32_t first = 0;  // a stack whose innermost frame is the function's, where turns begin
  std::uint32_t low = 0;    // likewise, with the smallest address seen in them
  std::uint32_t high = 0;   // likewise, with the largest
  std::uint64_t turns = 0;
  std::uint64_t blocks = 0;
  std::uint64_t kept = 0;  // of them, said to be kept, or freed by another thread
  number_counts bytes;     // of each turn
  thread_set threads;
};

// A block's birth; must be passed back when the block dies.
struct birthmark {
  std::uint32_t node = 0;
  std::uint32_t stack = 0;
  std::uint32_t levels : 31 = 0;  // frames open at its birth, as a level
  std::uint32_t kept : 1 = 0;
};

class invocation_tracker {
 public:
  // `functions` must outlive the tracker.
  invocation_tracker(const stack_list& stacks, const function_table& functions);
  invocation_tracker(const invocation_tracker&) = delete;
  invocation_tracker& operator=(const invocation_tracker&) = delete;

  // Precondition: nothing was followed yet.
  // Effects: takes the functions in which each thread is first seen to have been called before.
  void begin_late() { begins_late_ = true; }
  // Effects: makes arrive() with this stack faster.
  void prefetch(std::uint32_t stack) const { stacks_.prefetch(stack); }
  // The thread was seen with this stack (not 0) in an operation.
  void arrive(std::uint32_t thread, std::uint32_t stack, bool frees);
  // A block was allocated where the thread has just arrived.
  birthmark birth(std::uint32_t thread, std::uint32_t stack, std::uint64_t bytes,
                  bool kept = false);
  // `thread`, which has just arrived at `stack` (0: unknown), freed the block.
  void death(const birthmark& born, std::uint64_t bytes, std::uint32_t thread, std::uint32_t stack);
  // The block lives when the recording ends: it survived all invocations that ended before.
  void never(const birthmark& born, std::uint64_t bytes);
  void thread_ended(std::uint32_t thread);
  void finish();
  // By the stack of a frame that was open when the recording ended: the blocks that lived then, and
  // of whose calls it was the innermost that had not returned. Empty: there are none.
  const std::vector<std::uint64_t>& left_open() const { return left_open_; }
  // It outlived everything that was open at its birth.
  static constexpr std::uint32_t all_frames = 0xffff;

  // In any order.
  std::vector<turn_sum> turns() const;
  // By function id; recursive invocations are part of the outermost.
  const std::vector<invocation_sum>& sums() const { return sums_; }
  // Blocks by the stack of their allocation, and how many of its innermost frames they outlived.
  struct survival {
    std::uint32_t stack;
    std::uint32_t ended;
    friend auto operator<=>(const survival&, const survival&) = default;
  };
  // visit(survival, block_sum), in any order.
  template <class Visit>
  void for_each_survival(const Visit& visit) const {
    for (std::size_t i = 1; i < survivals_.size(); ++i)
      visit(survivals_[i].what, survivals_[i].sum);
  }
  // Those of them that are guesses, by the innermost frame that they may not have outlived, and
  // how many frames from there on are counted.
  const std::map<survival, std::uint64_t>& guesses() const { return guesses_; }

 private:
  struct open_turn {
    std::uint32_t first = 0, low = 0, high = 0;  // as in turn_sum; 0: nothing was allocated yet
    std::uint64_t blocks = 0, bytes = 0;         // of the frame, when the turn began
    std::uint64_t kept = 0;
  };
  struct open_frame {
    std::uint32_t stack = 0;  // its innermost frame is this one
    std::uint32_t function = 0;
    std::uint32_t first_place = 0;  // where the thread was first seen in this invocation
    std::uint32_t node = 0;         // of its live blocks; 0: none
    bool recursive = false;         // the function has an open frame further out
    std::uint64_t blocks = 0;  // allocated so far, by it and by invocations inside it that ended
    std::uint64_t bytes = 0;
    std::unique_ptr<open_turn> turn;  // if the function is called once
  };
  struct survival_sum {
    survival what{};
    block_sum sum;
  };
  // A free that counts only if the function is then seen to go on.
  struct uncertain_death {
    std::uint32_t stack = 0;
    std::uint32_t levels = 0;
    std::uint32_t open_levels = 0;  // when it was freed
    friend auto operator<=>(const uncertain_death&, const uncertain_death&) = default;
  };
  struct path {
    std::uint32_t thread = 0;
    std::vector<open_frame> frames;    // outermost first
    std::uint32_t base = first_level;  // level of frames[0]; decreases when outer frames are added
    std::map<uncertain_death, block_sum> uncertain;
    bool in_tail = false;    // the innermost function's last act is the current free
    std::size_t joined = 0;  // outermost frames that were open before the recording began
    std::set<std::pair<std::uint32_t, std::uint32_t>>
        came_to;  // their levels, lifeless, and places
  };
  struct live_node {
    std::uint32_t parent = 0;  // 0: its frame is open, or all its frames have ended
    std::uint32_t references = 0;
    std::uint32_t live = 0;   // blocks, with those of the nodes below, without kept ones
    std::uint32_t kept = 0;   // blocks, likewise
    std::uint32_t path = 0;   // 0: no frame is open any more
    std::uint32_t level = 0;  // of the open frame
  };
  static constexpr std::uint32_t first_level = 1u << 20;
  static constexpr std::size_t most_paths = 256;  // of a thread; coroutines have own stacks

  bool same_frame(std::uint32_t one, std::uint32_t other) const;
  bool same_place(std::uint32_t one, std::uint32_t other) const;
  bool goes_on(const std::vector<open_frame>& frames, std::size_t level, std::uint32_t stack) const;
  struct meeting {
    std::uint32_t path = 0;   // an index into paths_
    std::size_t matched = 0;  // frames of the path that are unchanged
    std::size_t taken = 0;    // frames of chain_ that correspond to them
  };
  meeting meet(std::uint32_t thread, std::uint32_t stack);
  meeting meet_cut(const std::vector<std::uint32_t>& mine) const;
  meeting compare(std::uint32_t id, std::size_t level) const;
  std::uint32_t new_path(std::uint32_t thread);
  void prepend(path& on, std::size_t missing);
  bool may_be_first(const open_frame& one) const;
  std::size_t possible_restart(const path& on, std::size_t matched) const;
  std::size_t lifeless_restart(const path& on, std::size_t matched) const;
  bool is_lifeless(const open_frame& one) const;
  bool may_have_begun_again(const path& on, std::size_t frame) const;
  void note_places(path& on, std::size_t matched);
  void count_functions(std::uint32_t id);
  void settle(path& on, std::size_t certain);
  bool is_tail_call(const path& on, const meeting& met, std::uint32_t stack) const;
  void leave_tail(std::uint32_t thread);
  void follow_turn(path& on);
  void end_turn(open_frame& frame, std::uint32_t thread);
  open_frame frame_at(std::uint32_t stack) const;
  void open(std::uint32_t id, std::uint32_t stack);
  void close(path& on, bool by_instant);
  void leave_node(std::uint32_t id, open_frame* outside);
  void close_path(std::uint32_t id);
  std::uint32_t new_node();
  void unreference(std::uint32_t node);
  std::uint32_t top_node(std::uint32_t node);
  void survive(std::uint32_t stack, std::uint32_t ended, std::uint64_t blocks, std::uint64_t bytes);

  const stack_list& stacks_;
  const function_table& functions_;
  std::vector<bool> called_once_;  // by function

  std::vector<path> paths_;  // [0] is unused
  std::vector<std::uint32_t> free_paths_;
  of_threads<std::vector<std::uint32_t>> of_thread_;  // the latest last
  std::vector<live_node> nodes_;                      // [0] is unused
  std::vector<std::uint32_t> free_nodes_;
  std::vector<invocation_sum> sums_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, turn_sum> turns_;  // by function and place
  std::vector<survival_sum> survivals_;                                // [0] is unused
  number_index survival_index_;
  std::map<survival, std::uint64_t> guesses_;  // blocks
  std::vector<std::uint64_t> left_open_;
  std::vector<std::uint32_t> open_functions_;  // by function: its open frames on counted_path_
  std::uint32_t counted_path_ = 0;             // 0: none is counted
  std::vector<std::uint32_t> chain_;           // the arriving stack, outermost first
  bool begins_late_ = false;
};

}  // namespace mallard::profile
