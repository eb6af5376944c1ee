// Purpose: the stack of each event, cheaply.
//
// Most of a stack is as it was at the thread's event before. So the thread keeps that stack, with
// the places where each frame's return address and frame pointer were found. A walk goes from the
// innermost frame outwards until it meets a frame that it knows, at the same place with the same
// address; then it only looks whether what was found in the frames outside is still there, which
// needs no rule and no frame to wait for another. Every stack has a key, made of its caller's key
// and its innermost frame: one look-up in the thread's table gives the number of a stack that was
// there before. Only one that was not has its frames looked up, and those that are new are sent,
// once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unwind/readable_range.hpp"
#include "unwind/rule_cache.hpp"

namespace mallard::preload {

struct known_frame {
  std::uint64_t ip;
  std::uint64_t frame_address;
  std::uint64_t bp;        // the register in this frame
  std::uint64_t bp_place;  // where its caller's is saved, if one outside is found by it; else 0
};

// Apart, so that checking frames reads nothing else.
struct known_stack {
  std::uint64_t key;
  std::uint32_t node;  // its number; 0: not asked for yet
  bool needs_bp;       // its innermost frame, or one outside of that, is found by the register
};

class stack_walk {
 public:
  static constexpr std::size_t most_frames = 1024;
  static constexpr std::size_t frames_of_cut = 64;

  // `checked`: how many frames are looked at in every event.
  void open(unwind::rule_cache& rules, bool by_frame_pointers, std::uint32_t checked) noexcept;
  void forget() noexcept { count_ = 0; }

  // The number of the stack whose innermost frame is `from`. `exact`: its address is where the
  // thread is, not where a call returns to. `long_ago`: so much may have happened since the last
  // walk that all frames are looked at. `nodes.find(key)` gives the number of a stack, 0 when it
  // has none, `nodes.add(key, number of the caller's, ip, frame address)` gives it one, 0 when it
  // cannot; then so does this.
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

  // Looks in the stack that was walked last, as long as its numbers have bits that the inner frames
  // keep: the outermost frame whose number has all of these, and its caller's address. Zeros: none
  // has.
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
  // About the stack that was walked last, 0 if it cannot be told: its number of frames, where each
  // of them, 0 the innermost, has the address that it returns to, and whether that depends on the
  // frame pointer register.
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
  // Counts how often the thread was on another stack than before.
  std::uint32_t stacks_entered() const noexcept { return readable_.entered(); }

  // The address in the innermost frame for which `wanted(address)` holds; 0: there is none.
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

  // Fills fresh_ (innermost first) up to a frame that is known, and cuts what is known behind that.
  void walk(unwind::frame_state from, bool exact, bool long_ago) noexcept;
  // Makes what is fresh known.
  void keep_fresh() noexcept;
  // Whether the first `count` known frames are where they were; else `count` is how many may be.
  bool still_there(std::size_t& count, bool long_ago) noexcept;
  // For stacks that are too deep: only the innermost frames of what is fresh.
  void cut() noexcept;

  template <class Nodes>
  std::uint32_t number_of_last(Nodes& nodes) noexcept {
    std::size_t first = count_;  // from here on there are no numbers
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
  known_stack stacks_[most_frames];  // each up to the frame of this index
  fresh_frame fresh_[most_frames];
};

}  // namespace mallard::preload
