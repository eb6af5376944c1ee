// What a report shows of a trace beside its dimensions, found in one pass over the events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/functions.hpp"
#include "profile/result.hpp"
#include "profile/trace/trace_reader.hpp"
#include "profile/views/activity.hpp"
#include "profile/views/address_map.hpp"
#include "profile/views/lifetimes.hpp"
#include "profile/views/stack_profile.hpp"
#include "profile/views/timeline.hpp"

namespace mallard::profile {

// Which subsystem each stack belongs to: an index into `names`, by stack id.
struct subsystem_map {
  std::vector<std::string> names;
  std::vector<std::uint32_t> of_stack;
};

// The first `most` subsystems; all others are one more.
subsystem_map shown_subsystems(const dims_result& dims, std::size_t most);

struct trace_views {
  stack_profile stacks;
  timeline live;
  lifetime_map lifetimes;
  thread_activity activity;
  address_map addresses;
};

// Reads the events once. Memory: what lives, and about a hundred bytes for each different stack.
trace_views make_views(trace_reader& trace, const function_table& functions,
                       const subsystem_map& subsystems);

}  // namespace mallard::profile
