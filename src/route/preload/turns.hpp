// Purpose: whose turn it is to serve the route of a scope, and what the turns took.
//
// A run with a resource and one without differ by what the host does meanwhile, often by more than
// the resource gains, and the hook takes time in the one alone. So both serve in one run: the
// resource some invocations of the scope, and the malloc behind the hook others. A turn is as many
// invocations as take a millisecond, and two turns with as many blocks are a pair, whose order is
// random. All that the thread does meanwhile counts: with many pairs, what is not the allocator's
// is as much in either half. Pairs belong to groups in rotation, and how much these differ tells
// how sure their median is.
#pragma once

#include <array>
#include <cstdint>

#include "route/session.hpp"

namespace mallard::route {

class turns {
 public:
  // The one that serves the next invocation.
  server now() const noexcept { return now_; }
  // Effects: an invocation has ended, which had so many blocks. Where the turn is over, its time is
  // added to `sums`. Returns: whether another one serves now.
  bool has_ended(std::uint64_t blocks, std::array<turn_sums, turn_groups>& sums) noexcept;
  // Effects: the thread leaves them, or another one goes on with them: short threads share a turn.
  void change_thread() noexcept;

 private:
  void toss() noexcept;

  server now_ = server::resource;
  bool is_second_ = false;  // of its pair
  std::uint32_t group_ = 0;
  std::uint64_t random_ = 0;
  std::uint64_t length_ = 1;       // blocks of a turn, or a few more
  std::uint64_t served_ = 0;       // blocks of this turn
  bool has_begun_ = false;         // the first one has
  std::uint64_t began_ = 0;        // nanoseconds of the thread; between threads: it took so long
  std::uint64_t pair_took_ = 0;    // nanoseconds
  std::uint64_t pair_blocks_ = 0;  // that were served meanwhile
};

}  // namespace mallard::route
