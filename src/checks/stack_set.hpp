// Purpose: call stacks, each kept once, because most blocks come from few places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <new>
#include <unordered_set>

#include "mallard/checks/call_stack.hpp"

namespace mallard::inline v1::detail {

class stack_set {
 public:
  // Returns: the stack, valid as long as the set exists.
  const call_stack* add(const call_stack& stack) { return &*stacks_.insert(stack).first; }
  // Null without memory.
  const call_stack* try_add(const call_stack& stack) noexcept {
    try {
      return add(stack);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

 private:
  struct hash {
    std::size_t operator()(const call_stack& s) const noexcept {
      std::size_t out = s.count;
      for (unsigned i = 0; i < s.count; ++i) {
        out = (out ^ std::hash<void*>()(s.frames[i])) * 0x9e3779b97f4a7c15;
      }
      return out ^ (out >> 32);
    }
  };
  struct equal {
    bool operator()(const call_stack& a, const call_stack& b) const noexcept {
      return std::equal(a.frames, a.frames + a.count, b.frames, b.frames + b.count);
    }
  };

  std::unordered_set<call_stack, hash, equal> stacks_;  // its nodes stay where they are
};

}  // namespace mallard::inline v1::detail
