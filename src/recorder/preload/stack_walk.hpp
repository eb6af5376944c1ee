// Purpose: the stack of each event, cheaply.
//
// Most of a stack is as it was at the thread's event before. So the thread keeps that stack, with
// the places where each frame's return address and frame pointer were found. A walk goes from the
// innermost frame outwards until it meets a frame that it knows, at the same place with the same
// address; then it only looks whether what was found in the frames outside is still there, which
// needs no rule and no frame to wait for another. Frames that are new get a number each, of their
// parent's number, address and frame address, from the thread's table; that is sent once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/preload/readable_range.hpp"
#include "recorder/preload/rule_cache.hpp"

namespace mallard::recorder {

struct known_frame {
  std::uint64_t ip;
  std::uint64_t frame_address;
  std::uint64_t bp;        // the register in this frame
  std::uint64_t bp_place;  // where its caller's is saved; 0: nowhere, it is the same
  std::uint32_t node;
  bool needs_bp;  // this frame, or one outside before it is loaded anew, is found by it
};

class stack_walk {
 public:
  static constexpr std::size_t most_frames = 1024;
  static constexpr std::size_t frames_of_cut = 64;

  // `checked`: how many frames are looked at in every event.
  void open(rule_cache& rules, bool by_frame_pointers, std::uint32_t checked) noexcept;
  void forget() noexcept { count_ = 0; }

  // The node of the stack whose innermost frame is `from`. `exact`: its address is where the thread
  // is, not where a call returns to. `long_ago`: so much may have happened since the last walk that
  // all frames are looked at. `nodes.node(parent, ip, frame address)` gives a frame its number, 0
  // when it cannot; then so does this.
  template <class Nodes>
  std::uint32_t node_of(frame_state from, bool exact, bool long_ago, Nodes& nodes) noexcept {
    const std::uint32_t last = walk(from, exact, long_ago);
    if (fresh_count_ == 0) [[likely]]
      return last;
    return take_fresh(last, nodes);
  }

 private:
  struct fresh_frame {
    std::uint64_t ip;
    std::uint64_t frame_address;
    std::uint64_t bp;
    std::uint64_t bp_place;
    bool uses_bp;  // found by the register
  };

  // Fills fresh_ (innermost first) up to a frame that is known, cuts what is known behind that, and
  // gives its node.
  std::uint32_t walk(frame_state from, bool exact, bool long_ago) noexcept;
  // Whether the first `count` known frames are where they were; else `count` is how many may be.
  bool still_there(std::size_t& count, bool long_ago) noexcept;
  // For stacks that are too deep: only the innermost frames of what is fresh.
  std::uint32_t cut() noexcept;

  template <class Nodes>
  std::uint32_t take_fresh(std::uint32_t parent, Nodes& nodes) noexcept {
    bool outer_needs_bp = count_ != 0 && frames_[count_ - 1].needs_bp;
    while (fresh_count_ != 0) {
      const fresh_frame& from = fresh_[--fresh_count_];
      parent = nodes.node(parent, from.ip, from.frame_address);
      outer_needs_bp = from.uses_bp || (from.bp_place == 0 && outer_needs_bp);
      frames_[count_++] = {from.ip, from.frame_address, from.bp, from.bp_place,
                           parent,  outer_needs_bp};
      if (parent == 0) {
        forget();
        fresh_count_ = 0;
      }
    }
    if (!keep_) forget();
    return parent;
  }

  rule_cache* rules_ = nullptr;
  bool by_frame_pointers_ = false;
  bool keep_ = true;
  std::size_t checked_ = 0;
  std::size_t count_ = 0;
  std::size_t fresh_count_ = 0;
  readable_range readable_;
  known_frame frames_[most_frames];  // the outermost first
  fresh_frame fresh_[most_frames];
};

}  // namespace mallard::recorder
