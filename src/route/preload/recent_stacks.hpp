// Purpose: the marks of stacks that a thread was at before, without a walk.
//
// A program allocates again and again from the same places. So for each place (where a call returns
// to, and the stack pointer there) the thread remembers the stack that it met there last: where its
// frames have their return addresses, and which they were. As long as those words are what they
// were, so is the stack: one comparison a frame, none of which waits for another, where a walk has
// to find each frame from the one before. What was met once is only noted, since many places are
// never seen again. A frame that grew (alloca) between two calls may leave an old return address
// where it was: then a block may take the wrong route, which harms no program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/frame_rule.hpp"
#include "preload/stack_walk.hpp"

namespace mallard::route {

struct return_word {
  const std::uint64_t* place;
  std::uint64_t value;
};

// The frame that a route's scope is an invocation of, where it was asked for.
struct found_scope {
  std::uint32_t route = 0;  // + 1; 0: none was asked for
  preload::stack_walk::found_frame frame;
};

class recent_stack {
 public:
  // Deeper stacks are walked each time.
  static constexpr std::size_t most_words = 59;

  // The marks of the stack, or 0 when it is another one, or not known.
  std::uint32_t marks_at(const preload::frame_state& at) const noexcept {
    if (((ip_ ^ at.ip) | (sp_ ^ at.sp) | ((bp_ ^ at.bp) & bp_mask_)) != 0) return 0;
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < count_; i += 2) {
      difference |= *words_[i].place ^ words_[i].value;
      difference |= *words_[i + 1].place ^ words_[i + 1].value;
    }
    return difference == 0 ? marks_ : 0;
  }
  // The outermost word that is read; 0: none is.
  std::uint64_t farthest() const noexcept { return farthest_; }

  // The walk was at `at` and found these marks. `is_outermost(ip)`: what called the thread's own
  // functions first, which is the same as long as it lives.
  template <class IsOutermost>
  void learn(const preload::frame_state& at, const preload::stack_walk& walk, std::uint32_t marks,
             IsOutermost&& is_outermost) noexcept {
    if (!note(at, walk)) return;
    std::size_t words = walk.frames() - 1;
    // The program's beginning, _start, is called by nobody and calls the C library.
    if (words > 2 && is_outermost(walk.return_of(words - 2).value)) --words;
    while (words > 1 && is_outermost(walk.return_of(words - 1).value)) --words;
    if (words <= most_words) keep(walk, words, marks);
  }
  void forget() noexcept {
    ip_ = farthest_ = 0;
    marks_ = 0;
  }

  found_scope scope;

 private:
  // Whether there is something to keep.
  bool note(const preload::frame_state& at, const preload::stack_walk& walk) noexcept;
  void keep(const preload::stack_walk& walk, std::size_t words, std::uint32_t marks) noexcept;

  std::uint64_t ip_ = 0;
  std::uint64_t sp_ = 0;
  std::uint64_t bp_ = 0;
  std::uint64_t bp_mask_ = 0;  // all ones: the register matters
  std::uint64_t farthest_ = 0;
  std::uint32_t marks_ = 0;  // 0: noted, but not known
  std::uint32_t count_ = 0;  // an even number
  return_word words_[most_words + 1] = {};
};

class recent_stacks {
 public:
  recent_stack& at(const preload::frame_state& caller) noexcept {
    const std::uint64_t key = (caller.ip ^ (caller.sp << 20)) * 0x9e37'79b9'7f4a'7c15;
    return all_[key >> (64 - bits)];
  }
  void forget() noexcept {
    for (recent_stack& one : all_) one.forget();
  }

 private:
  static constexpr unsigned bits = 6;
  recent_stack all_[std::size_t{1} << bits];
};

}  // namespace mallard::route
