// Purpose: the recorder's state in this process: the session, the process's slot in it, what all
// threads have in common.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/functions.hpp"
#include "preload/rule_cache.hpp"
#include "recorder/preload/known_modules.hpp"
#include "recorder/session.hpp"
#include "recorder/ticks.hpp"

namespace mallard::recorder {

using namespace preload;  // the part of the recorder that any hook has

// A page that the kernel zeroes in the child of a fork, so that a child by whatever system call
// finds out before it writes where its parent does.
struct fork_page {
  // Changes when what threads know of this process is out of date; 0: there was a fork.
  std::atomic<std::uint32_t> epoch;
};

struct process_state {
  session* all;     // never null: before the process is recorded it is one that is over
  fork_page* page;  // never null
  std::uint32_t slot = 0;
  std::uint32_t last_epoch = 0;
  enum class phase : std::uint32_t { unknown, opening, recorded, not_recorded };
  std::atomic<phase> state{phase::unknown};
  std::atomic<std::uint32_t> paused{};  // by the program itself
  std::uint64_t ticks_of_microsecond = 1;
  bool has_cpu_timers = false;
  // Ticks: no slot for a thread is asked for before. See open_thread().
  std::atomic<std::uint64_t> full_until{};
  rule_cache rules{};
  known_modules modules{};
};
extern process_state process;

inline std::uint64_t now() noexcept {
  return process.all->stable_ticks ? processor_ticks() : system_ticks();
}

// Effects: makes this process part of the session that the environment names, if it does; or, when
// it is the child of a fork, a process of its own. Returns: whether it is recorded.
bool open_process() noexcept;

// What threads know of the process is to be looked at anew.
void new_epoch() noexcept;

// The session goes on without this process: nobody reads what it writes.
void leave_session() noexcept;

}  // namespace mallard::recorder
