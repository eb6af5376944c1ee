// What the way to a resource takes: which one it is, whose the block is, how large it was. A
// program that was written with the resource does without all of that.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "route/session.hpp"

namespace mallard::whatif {

// Seconds for a block, from its birth to its death, beside what the hook takes that routes nothing
// and what the resource takes itself.
struct route_cost {
  double seconds = 0;
  double error = 0;  // by which it may be another in a program: its caches and branches differ
};

// The more blocks live, the colder are the caches that the way goes through.
class route_costs {
 public:
  void add(double live_blocks, route_cost cost) { by_live_[live_blocks] = cost; }
  bool empty() const { return by_live_.empty(); }
  // Between those that were measured; as the nearest, beyond them.
  route_cost of(double live_blocks) const;

 private:
  std::map<double, route_cost> by_live_;
};

// Measured with a resource of each strategy, of blocks that are allocated and freed in a loop by
// `program`, which has to be this one, with the library preloaded. What cannot be measured is not
// there. With few blocks alive first; no more of them once so many seconds have passed (0: no
// limit).
std::map<route::strategy, route_costs> measure_route_costs(const std::filesystem::path& program,
                                                           const std::string& library,
                                                           const std::set<route::strategy>& of,
                                                           double most_seconds);

}  // namespace mallard::whatif
