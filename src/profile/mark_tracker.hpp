// Scopes marked in the source: which block was allocated inside which, and whether it was dead when
// the scope was left. Marks say exactly where a scope begins and ends, so nothing is inferred.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "profile/invocations.hpp"
#include "profile/of_threads.hpp"
#include "profile/trace/event.hpp"

namespace mallard::profile {

struct mark_sum {
  invocation_sum invocations;
  block_sum born;
  std::map<std::uint32_t, block_sum> survivors;  // by stack
};

class mark_tracker {
 public:
  mark_tracker() : nodes_(1) {}

  void enter(std::uint32_t thread, std::uint64_t name);
  // Leaves the innermost open scope of this name and all scopes inside it.
  void leave(std::uint32_t thread, std::uint64_t name);
  // Returns: the thread's innermost open scope, to be passed back when the block dies; 0: none.
  std::uint32_t birth(std::uint32_t thread, std::uint64_t bytes);
  void death(std::uint32_t mark, std::uint32_t stack, std::uint64_t bytes);
  void never(std::uint32_t mark, std::uint32_t stack, std::uint64_t bytes);
  void finish();

  const std::map<std::uint64_t, mark_sum>& sums() const { return sums_; }

 private:
  struct node {
    std::uint32_t parent = 0;
    std::uint32_t references = 0;  // blocks, nodes inside, and one for being open
    std::uint64_t name = 0;
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
    bool open = false;
    bool recursive = false;
  };
  void leave_innermost(std::uint32_t thread);
  void unreference(std::uint32_t mark);

  std::vector<node> nodes_;
  std::vector<std::uint32_t> free_;
  of_threads<std::uint32_t> innermost_;
  std::map<std::uint64_t, mark_sum> sums_;
};

}  // namespace mallard::profile
