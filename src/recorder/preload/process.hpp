// Purpose: the recorder's state in this process: the session, the process's slot in it, what all
// threads have in common.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/functions.hpp"
#include "recorder/preload/known_modules.hpp"
#include "recorder/session.hpp"
#include "recorder/ticks.hpp"
#include "unwind/rule_cache.hpp"

namespace mallard::recorder {

using namespace preload;  // the part of the recorder that any hook has
using namespace unwind;

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
  session_gate gate;
  std::atomic<std::uint32_t> paused{};  // by the program itself
  std::uint64_t ticks_of_microsecond = 1;
  // Ticks: no slot for a thread is asked for before. See open_thread().
  std::atomic<std::uint64_t> full_until{};
  rule_cache rules{};
  known_modules modules{};
  bool is_attached = false;                     // to a program that ran already
  std::atomic<std::uint32_t> hooked_modules{};  // see session_head
};
extern process_state process;

inline std::uint64_t now() noexcept {
  return process.all->stable_ticks ? processor_ticks() : system_ticks();
}

// Effects: makes this process part of the session that the environment names, if it does; or, when
// it is the child of a fork, a process of its own. Returns: whether it is recorded.
bool open_process() noexcept;

// Threads have to look anew at what they know of the process.
void new_epoch() noexcept;

// Modules that an attached process has loaded since get their hooks. Called now and then, from
// where the program has called malloc.
[[gnu::cold, gnu::noinline]] void hook_new_modules() noexcept;
inline void look_for_modules() noexcept {
  if (process.is_attached) [[unlikely]]
    hook_new_modules();
}

// Makes a program that runs part of the session with this path. Returns: whether it is recorded.
bool attach_process(const char* path) noexcept;
// The program calls its own functions again. What it calls of ours all the same does nothing more.
void detach_process() noexcept;

// The session goes on without this process: nobody reads what it writes.
void leave_session() noexcept;

}  // namespace mallard::recorder
