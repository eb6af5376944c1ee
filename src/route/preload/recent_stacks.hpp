// Purpose: what stacks say of routes that a thread was at before, without a walk.
//
// A program allocates again and again from the same places. So for each place (where a call returns
// to, and the stack pointer there) the thread remembers some stacks that it met there: where their
// frames have their return addresses, and which they were. As long as those words are what they
// were, so is the stack: one comparison a frame, none of which waits for another, where a walk has
// to find each frame from the one before. There are several of a place where it is in a function
// that others share, as a string's. What was met once is only noted, since many places are never
// seen again. A frame that grew (alloca) between two calls may leave an old return address
// where it was: then a block may take the wrong route, which harms no program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "preload/stack_walk.hpp"
#include "unwind/frame_rule.hpp"

namespace mallard::route {

// Return addresses, two by two: so much is compared at once.
using two_words [[gnu::vector_size(16)]] = std::uint64_t;
struct return_words {
  const std::uint64_t* places[2];
  two_words values;
};

class arena;

// The frame that a route's scope is an invocation of, where it was asked for, and the arena that
// served it.
struct found_scope {
  std::uint32_t route = 0;  // + 1; 0: none was asked for
  std::uint32_t turn = 0;   // that the thread was in
  arena* of = nullptr;
  bool may_be_first = false;  // the invocation may begin here once more
  preload::stack_walk::found_frame frame;
};

// The answer that is looked for once a stack is known.
struct stack_answer {
  std::uint16_t routes = 0;  // bit i: all that route i asks of a stack holds
  std::uint16_t inside = 0;  // bit i: the functions of route i are on it
};

// One line of the cache; what only some calls read lies apart.
class alignas(64) recent_stack {
 public:
  // Deeper stacks are walked each time.
  static constexpr std::size_t most_words = 60;
  static constexpr std::size_t step = 4;  // of words; the last ones are there again to fill it
  struct rest {
    return_words words[most_words / 2];
    found_scope scope;
  };

  // Whether the thread is at this stack. `sight`: that it was last seen in, see the thread's.
  bool is_at(const unwind::frame_state& at, std::uint32_t sight) const noexcept {
    return sight_ == sight && is_at(at);
  }
  // The same, where farthest() can be read.
  bool is_at(const unwind::frame_state& at) const noexcept {
    if (ip_ != at.ip || sp_ != at.sp || ((bp_ ^ at.bp) & bp_mask_) != 0) return false;
    const return_words* one = rest_->words;
    const return_words* const end = one + count_ / 2;
    two_words difference{};
    do {
      difference |= two_words{*one[0].places[0], *one[0].places[1]} ^ one[0].values;
      difference |= two_words{*one[1].places[0], *one[1].places[1]} ^ one[1].values;
      one += step / 2;
    } while (one != end);
    return (difference[0] | difference[1]) == 0;
  }
  const stack_answer& answer() const noexcept { return answer_; }
  // The outermost word that is read; 0: none is, nothing is known.
  std::uint64_t farthest() const noexcept { return farthest_; }
  void see(std::uint32_t sight) noexcept { sight_ = sight; }
  bool is_of(const unwind::frame_state& at) const noexcept { return ip_ == at.ip && sp_ == at.sp; }
  bool is_empty() const noexcept { return ip_ == 0; }
  found_scope& scope() noexcept { return rest_->scope; }

  void open(rest& mine) noexcept { rest_ = &mine; }
  // The walk was at `at` and found this. `is_outermost(ip)`: what called the thread's own functions
  // first, which is the same as long as it lives.
  template <class IsOutermost>
  void learn(const unwind::frame_state& at, const preload::stack_walk& walk,
             const stack_answer& answer, IsOutermost&& is_outermost) noexcept {
    if (!note(at, walk)) return;
    std::size_t words = walk.frames() - 1;
    // The program's beginning, _start, is called by nobody and calls the C library.
    if (words > 2 && is_outermost(walk.return_of(words - 2).value)) --words;
    while (words > 1 && is_outermost(walk.return_of(words - 1).value)) --words;
    if (words <= most_words) keep(walk, words, answer);
  }
  void forget() noexcept {
    ip_ = farthest_ = 0;
    sight_ = 0;
    answer_ = {};
  }

 private:
  // Whether there is something to keep.
  bool note(const unwind::frame_state& at, const preload::stack_walk& walk) noexcept;
  void keep(const preload::stack_walk& walk, std::size_t words,
            const stack_answer& answer) noexcept;

  std::uint64_t ip_ = 0;
  std::uint64_t sp_ = 0;
  std::uint64_t bp_ = 0;
  std::uint64_t bp_mask_ = 0;  // all ones: the register matters
  rest* rest_ = nullptr;
  std::uint64_t farthest_ = 0;
  std::uint32_t sight_ = 0;  // 0: noted, but not known
  std::uint32_t count_ = 0;  // of words, a multiple of `step`
  stack_answer answer_;
};
static_assert(sizeof(recent_stack) == 64);

class recent_stacks {
 public:
  recent_stacks() noexcept {
    for (std::size_t i = 0; i < count; ++i) all_[i].open(rests_[i]);
  }

  // The one that the thread is at, if it was seen in this sight; null: none is known to be.
  [[gnu::always_inline]] recent_stack* find(const unwind::frame_state& caller,
                                            std::uint32_t sight) noexcept {
    for (recent_stack& one : place_of(caller)) {
      if (one.is_at(caller, sight)) return &one;
    }
    return nullptr;
  }
  // The one that the thread is at. `can_read(place)`: whether that word can be read.
  template <class CanRead>
  recent_stack* find_again(const unwind::frame_state& caller, CanRead&& can_read) noexcept {
    for (recent_stack& one : place_of(caller)) {
      if (one.is_of(caller) && one.farthest() != 0 && can_read(one.farthest()) &&
          one.is_at(caller)) {
        return &one;
      }
    }
    return nullptr;
  }
  // The one that is to learn a stack: what was noted of its place, or an empty one, or all in turn.
  recent_stack& next_at(const unwind::frame_state& caller) noexcept {
    const auto here = place_of(caller);
    recent_stack* chosen = nullptr;
    for (recent_stack& one : here) {
      if (one.is_of(caller) && one.farthest() == 0) return one;
      if (chosen == nullptr && one.is_empty()) chosen = &one;
    }
    return chosen != nullptr ? *chosen : here[turn_++ % ways];
  }
  void forget() noexcept {
    for (recent_stack& one : all_) one.forget();
  }

 private:
  static constexpr unsigned bits = 6;
  static constexpr std::size_t ways = 4;
  static constexpr std::size_t count = ways << bits;

  std::span<recent_stack, ways> place_of(const unwind::frame_state& caller) noexcept {
    const auto key = static_cast<std::uint32_t>(caller.ip ^ (caller.sp << 8));
    const std::size_t place = (key * 0x9e37'79b1U) >> (32 - bits);
    return std::span<recent_stack, ways>(all_ + place * ways, ways);
  }

  recent_stack all_[count];
  recent_stack::rest rests_[count] = {};
  std::uint32_t turn_ = 0;
};

}  // namespace mallard::route
