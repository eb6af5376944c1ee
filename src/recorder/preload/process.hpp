// Purpose: the recorder's state in this process: the session, the process's slot in it, and data
// common to all threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/functions.hpp"
#include "recorder/preload/known_modules.hpp"
#include "recorder/session.hpp"
#include "recorder/ticks.hpp"
#include "unwind/rule_cache.hpp"

namespace mallard::recorder {

using namespace preload;  // everything shared by hooks
using namespace unwind;

// A page that the kernel zeroes in the child of a fork. So a child made by any system call learns
// that it is one before it writes to its parent's memory.
struct fork_page {
  // Changes when threads must refresh what they know about the process; 0: there was a fork.
  std::atomic<std::uint32_t> epoch;
};

struct process_state {
  session* all;     // never null: an ended session before the process is recorded
  fork_page* page;  // never null
  std::uint32_t slot = 0;
  std::uint32_t last_epoch = 0;
  session_gate gate;
  std::atomic<std::uint32_t> paused{};  // by the program itself
  std::uint64_t ticks_of_microsecond = 1;
  // In ticks: until then, threads do not ask for a slot. See open_thread().
  std::atomic<std::uint64_t> full_until{};
  rule_cache rules{};
  known_modules modules{};
  bool is_attached = false;                     // the program ran already
  std::atomic<std::uint32_t> hooked_modules{};  // see session_head
};
extern process_state process;

inline std::uint64_t now() noexcept {
  return process.all->stable_ticks ? processor_ticks() : system_ticks();
}

// Effects: joins the session that the environment names, if any; the child of a fork becomes a
// process of its own. Returns: whether it is recorded.
bool open_process() noexcept;

// Makes threads refresh what they know about the process.
void new_epoch() noexcept;

// Hooks modules that an attached process has loaded since. Called now and then from calls of
// malloc.
[[gnu::cold, gnu::noinline]] void hook_new_modules() noexcept;
inline void look_for_modules() noexcept {
  if (process.is_attached) [[unlikely]]
    hook_new_modules();
}

// Makes a running program join the session with this path. Returns: whether it is recorded.
bool attach_process(const char* path) noexcept;
// The program calls its own functions again. Calls that still reach ours are only passed on.
void detach_process() noexcept;

// The session goes on without this process: nobody reads what it writes.
void leave_session() noexcept;

}  // namespace mallard::recorder
