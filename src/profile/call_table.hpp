// The nodes of a tree of calls, by their caller's node and the function that is called.
#pragma once

#include <cstdint>

#include "profile/live_table.hpp"

namespace mallard::profile {

class call_table {
 public:
  // Effects: the call has the number `next` if it has none yet. Returns: its number. `function` is
  // less than 2^32 - 1. O(1) on average.
  std::uint32_t number(std::uint32_t caller, std::uint32_t function, std::uint32_t next) {
    // One to one, never 0, and spread over all bits: the table was made for addresses.
    std::uint64_t key = (std::uint64_t{caller} << 32 | (function + 1)) * 0x9e3779b97f4a7c15u;
    key ^= key >> 32;
    if (const call* const known = calls_.find(key)) return known->callee;
    calls_.insert({key, next});
    return next;
  }

 private:
  struct call {
    std::uint64_t address = 0;  // the key, as live_table wants it
    std::uint32_t callee = 0;
  };
  live_table<call> calls_;
};

}  // namespace mallard::profile
