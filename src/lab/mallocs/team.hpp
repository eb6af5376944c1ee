// Threads that start together, made without a call of malloc by us: on stacks of our own.
#pragma once

#include <span>
#include <system_error>

#include "lab/mallocs/own_memory.hpp"
#include "lab/measuring/thread_team.hpp"

namespace mallard::lab::mallocs {

// The members of a team, with stacks. The process gives up if it cannot have that many threads.
std::span<team_member> make_members(own_memory& own, unsigned threads);
[[noreturn]] void give_up_team();

template <class Prepare, class Work>
team_times run_team(own_memory& own, unsigned threads, Prepare&& prepare, Work&& work) {
  try {
    return lab::run_team(make_members(own, threads), prepare, work);
  } catch (const std::system_error&) {
    give_up_team();
  }
}

}  // namespace mallard::lab::mallocs
