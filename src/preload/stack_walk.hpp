// Purpose: the stack of each event, cheaply.
//
// Most of a stack is unchanged since the thread's previous event. So the thread keeps the previous
// stack, with the places of each frame's return address and frame pointer. A walk goes from the
// innermost frame outwards until it meets a known frame: same place, same address. Then it only
// checks that the places of the outer frames have the same contents, which needs no unwinding
// rules, and these checks do not depend on each other.
//
// Every stack has a key, made of its caller's key and its innermost frame. One look-up in the
// thread's table gives the number of a stack seen before. Only for a new stack are its frames
// looked up, and new ones are sent, once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unwind/readable_range.hpp"
#include "unwind/rule_cache.hpp"

namespace mallard::preload {

struct known_frame {
  std::uint64_t ip;
  std::uint64_t frame_address;
  std::uint64_t bp;        // the register's value in this frame
  std::uint64_t bp_place;  // where its caller's is saved, if a frame outside is found by it; else 0
};

// Separate from the frames, so that checking frames reads nothing else.
struct known_stack {
  std::uint64_t key;
  std::uint32_t node;  // its number; 0: not yet known
  bool needs_bp;       // its innermost frame, or one further out, is found by the register
};

class stack_walk {
 public:
  static constexpr std::size_t most_frames = 1024;
  static constexpr std::size_t frames_of_cut = 64;

  // `checked`: how many frames are checked at every event.
  void open(unwind::rule_cache& rules, bool by_frame_pointers, std::uint32_t checked) noexcept;
  void forget() noexcept { count_ = 0; }

  // Returns: the number of the stack with the innermost frame `from`. `exact`: its address is the
  // thread's place, not a return address. `long_ago`: so much may have happened since the last walk
  // that all frames are checked. `nodes.find(key)` returns a stack's number, 0 if it has none;
  // `nodes.add(key, number of the caller's, ip, frame address)` gives it one, or returns 0 if it
  // cannot, and so does this function.
  template <class Nodes>
  std::uint32_t node_of(unwind::frame_state from, bool exact, bool long_ago,
                        Nodes& nodes) noexcept {
    walk(from, exact, long_ago);
    keep_fresh();
    known_stack& last = stacks_[count_ - 1];
    if (last.node == 0) last.node = number_of_last(nodes);
    const std::uint32_t out = last.node;
    if (out == 0 || !keep_) [[unlikely]]
      forget();
    return out;
  }

  // In the last walked stack, the outermost frame whose number has all these bits, as have the
  // numbers of all frames inside it; and its caller's address. Zeros if there is none.
  struct found_frame {
    std::uint64_t ip = 0;
    std::uint64_t frame_address = 0;
    std::uint64_t caller_ip = 0;
  };
  found_frame outermost_with(std::uint32_t bits) const noexcept {
    std::size_t at = count_;
    while (at != 0 && (stacks_[at - 1].node & bits) == bits) --at;
    if (at == count_) return {};
    return {frames_[at].ip, frames_[at].frame_address, at == 0 ? 0 : frames_[at - 1].ip};
  }
  // For the last walked stack; 0 if unknown. The number of its frames; the place of the n-th
  // frame's return address (0: innermost); and whether that depends on the frame pointer register.
  struct return_place {
    std::uint64_t place;
    std::uint64_t value;
  };
  std::size_t frames() const noexcept { return count_; }
  return_place return_of(std::size_t frame) const noexcept {
    const std::size_t at = count_ - 1 - frame;
    return {frames_[at].frame_address - 8, frames_[at - 1].ip};
  }
  bool is_found_by_register() const noexcept { return count_ != 0 && stacks_[count_ - 1].needs_bp; }
  // Whether a word above `sp`, which is in use, can be read.
  bool can_read(std::uint64_t sp, std::uint64_t place) noexcept {
    readable_.enter(sp);
    return readable_.has(place);
  }
  // Whether a word is on the part of the last walk's stack that was read then.
  bool has_read(std::uint64_t place) const noexcept { return readable_.has_read(place); }
  // Counts changes of the thread to another stack.
  std::uint32_t stacks_entered() const noexcept { return readable_.entered(); }

  // The address of the innermost frame for which `wanted(address)` is true; 0 if none.
  template <class Wanted>
  std::uint64_t innermost(Wanted&& wanted) const noexcept {
    for (std::size_t i = count_; i-- != 0;) {
      if (wanted(frames_[i].ip)) return frames_[i].ip;
    }
    return 0;
  }

 private:
  struct fresh_frame {
    std::uint64_t ip;
    std::uint64_t frame_address;
    std::uint64_t bp;
    std::uint64_t bp_place;
    bool uses_bp;  // found by the register
  };

  // Fills fresh_ (innermost first) up to a known frame, and drops the known frames inside it.
  void walk(unwind::frame_state from, bool exact, bool long_ago) noexcept;
  // Moves fresh frames to the known ones.
  void keep_fresh() noexcept;
  // Whether the first `count` known frames are unchanged; otherwise sets `count` to how many may
  // be.
  bool still_there(std::size_t& count, bool long_ago) noexcept;
  // For stacks that are too deep: keeps only the innermost fresh frames.
  void cut() noexcept;

  template <class Nodes>
  std::uint32_t number_of_last(Nodes& nodes) noexcept {
    std::size_t first = count_;  // frames from here on have no numbers yet
    std::uint32_t number = 0;
    while (first != 0) {
      known_stack& stack = stacks_[first - 1];
      if (stack.node == 0) stack.node = nodes.find(stack.key);
      number = stack.node;
      if (number != 0) break;
      --first;
    }
    for (; first != count_; ++first) {
      const known_frame& frame = frames_[first];
      known_stack& stack = stacks_[first];
      number = stack.node = nodes.add(stack.key, number, frame.ip, frame.frame_address);
      if (number == 0) return 0;
    }
    return number;
  }

  unwind::rule_cache* rules_ = nullptr;
  bool by_frame_pointers_ = false;
  bool keep_ = true;
  std::size_t checked_ = 0;
  std::size_t count_ = 0;
  std::size_t fresh_count_ = 0;
  unwind::readable_range readable_;
  known_frame frames_[most_frames];  // the outermost first
  known_stack stacks_[most_frames];  // each up to the frame with this index
  fresh_frame fresh_[most_frames];
};

}  // namespace mallard::preload
