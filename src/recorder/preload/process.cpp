#include "recorder/preload/process.hpp"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

#include "preload/call_slots.hpp"
#include "preload/cpu_timer.hpp"
#include "recorder/preload/hook.hpp"

namespace mallard::recorder {
namespace {

bool sampled(const frame_state& at, std::uint32_t times) noexcept {
  // Must be set before the session is checked: see thread_slot::busy_at.
  const bool was_busy = this_thread.busy;
  this_thread.busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread_log* const log = ready_log();
  if (log != nullptr) {
    if (was_busy || this_thread.in_new != 0) {
      log->sample_in_call(times);
    } else {
      log->sample(at, times);
    }
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  this_thread.busy = was_busy;
  // Nobody records any more after the end of `mallard record`.
  return log != nullptr || !process.gate.is_closed();
}

static_assert(most_processes < 0x10000);
std::uint32_t process_number() noexcept {
  return process.page->epoch.load(std::memory_order_relaxed) == 0 ? 0 : process.slot + 1;
}

// At the beginning of a recording: if the session wants samples, threads get timers.
void prepare_cpu_samples() noexcept {
  prepare_cpu_timers({sampled, process_number}, process.all->options.cpu_period_us);
}

// At the end: deletes the timers of all threads.
void end_cpu_samples() noexcept {
  session& all = *process.all;
  for (std::uint32_t i = 0; i < all.threads_used.load(std::memory_order_acquire); ++i) {
    if (all.threads[i].load(std::memory_order_acquire) != slot_state::in_use) continue;
    thread_slot& slot = threads_of(all)[i];
    if (slot.process != process.slot) continue;
    delete_cpu_timer(reinterpret_cast<const thread_log*>(slot.own)->timer());
  }
}

constinit session no_session{};
constinit fork_page no_page{};

std::uint64_t own_pid_namespace() {
  struct stat found{};
  return stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

fork_page* map_fork_page() {
  void* const memory =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (madvise(memory, 4096, MADV_WIPEONFORK) != 0) {
    munmap(memory, 4096);
    return nullptr;
  }
  return static_cast<fork_page*>(memory);
}

void count_as_used(session& all, std::uint32_t slot) {
  std::uint32_t used = all.processes_used.load(std::memory_order_relaxed);
  while (used <= slot && !all.processes_used.compare_exchange_weak(used, slot + 1)) {
  }
}

bool take_process_slot(session& all, bool foreign, bool is_child_of_fork) {
  process_slot* const slots = processes_of(all);
  for (std::uint32_t i = 0; i < most_processes; ++i) {
    slot_state expected = slot_state::free;
    if (slots[i].state.load(std::memory_order_relaxed) != expected ||
        !slots[i].state.compare_exchange_strong(expected, slot_state::taken)) {
      continue;
    }
    slots[i].pid = static_cast<std::uint32_t>(getpid());
    slots[i].parent = static_cast<std::uint32_t>(getppid());
    slots[i].foreign = foreign;
    slots[i].begins_inside = is_child_of_fork || all.mode.load(std::memory_order_relaxed) !=
                                                     static_cast<std::uint32_t>(recording::on);
    slots[i].started = now();
    const ssize_t length =
        readlink("/proc/self/exe", slots[i].program, sizeof slots[i].program - 1);
    slots[i].program[length < 0 ? 0 : length] = '\0';
    slots[i].open_threads.store(0, std::memory_order_relaxed);
    slots[i].refused.store(0, std::memory_order_relaxed);
    slots[i].state.store(slot_state::in_use, std::memory_order_release);
    count_as_used(all, i);
    process.slot = i;
    return true;
  }
  return false;
}

bool is_followed(const session& all) {
  return all.options.follow || all.first_pid == static_cast<std::uint32_t>(getpid());
}

// Opens a session. A process that is attached to again keeps its page and rules. The parts of the
// previous session that a thread may still read stay mapped.
bool open_session(const char* path) {
  if (path == nullptr) return false;
  auto* const all = static_cast<session*>(map_session(path, session_kind, session_bytes));
  if (all == nullptr) return false;
  if (process.page == &no_page) {
    fork_page* const page = map_fork_page();
    if (page == nullptr || !process.rules.open()) return false;
    process.page = page;
  }
  process.all = all;
  const bool foreign = own_pid_namespace() != all->pid_namespace;
  if (!is_followed(*all) || !take_process_slot(*all, foreign, false)) return false;
  process.ticks_of_microsecond = all->ticks_of_microsecond;
  process.full_until.store(0, std::memory_order_relaxed);
  process.modules.start_over();
  prepare_cpu_samples();
  return true;
}

bool open_child_of_fork() {
  session& all = *process.all;
  process.modules.start_over();
  process.full_until.store(0, std::memory_order_relaxed);
  // A parent number of 0 means that the child is the first process of another namespace.
  const bool foreign = processes_of(all)[process.slot].foreign || getppid() == 0;
  return is_followed(all) && take_process_slot(all, foreign, true);
}

// Threads read their slots as long as they live, and the head of the session: these stay mapped.
// All other slots are taken, so that no thread takes one later, and are unmapped.
void give_back_addresses(session& all) noexcept {
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i <= most_threads; ++i) {
    slot_state expected = slot_state::free;
    if (i < most_threads && all.threads[i].compare_exchange_strong(expected, slot_state::taken)) {
      continue;
    }
    if (i > first) munmap(threads_of(all) + first, (i - first) * sizeof(thread_slot));
    first = i + 1;
  }
}

}  // namespace

constinit process_state process{.all = &no_session, .page = &no_page, .gate = {}};

void new_epoch() noexcept {
  process.page->epoch.store(++process.last_epoch, std::memory_order_release);
}

void leave_session() noexcept {
  process.gate.close();
  process.page->epoch.store(0, std::memory_order_release);
}

bool open_process() noexcept {
  using enum session_gate::phase;
  const int before = errno;
  bool opened = false;
  if (process.gate.begin(unknown)) {
    opened = open_session(getenv(session_kind.variable));
  } else if (process.page->epoch.load() == 0 && process.gate.begin(open)) {
    this_thread.log = nullptr;
    opened = open_child_of_fork();
  } else {
    return process.gate.is_open();
  }
  if (opened) new_epoch();
  errno = before;
  return process.gate.end(opened);
}

void hook_new_modules() noexcept {
  const std::uint32_t now = process.all->module_changes.load(std::memory_order_acquire);
  if (process.hooked_modules.load(std::memory_order_relaxed) == now) return;
  const int before = errno;
  if (hook_modules()) process.hooked_modules.store(now, std::memory_order_relaxed);
  errno = before;
}

bool attach_process(const char* path) noexcept {
  using enum session_gate::phase;
  // An earlier recorder may have been killed.
  if (process.gate.is_open() && preload::has_ended(static_cast<pid_t>(process.all->reader_pid))) {
    leave_session();
    give_back_addresses(*process.all);
  }
  if (process.gate.is_open() || !find_functions_of_program()) return false;
  process.is_attached = true;
  const bool begun = process.gate.begin(unknown) || process.gate.begin(closed);
  if (!begun) return false;
  const bool opened = open_session(path);
  if (opened) {
    new_epoch();
    process.hooked_modules.store(process.all->module_changes.load(std::memory_order_acquire));
  }
  process.gate.end(opened);
  if (opened) hook_modules();
  return opened;
}

void detach_process() noexcept {
  for (int tries = 0; !unhook_modules() && tries < 1000; ++tries) sched_yield();
  if (!process.gate.is_open()) return;
  leave_session();
  end_cpu_samples();
  give_back_addresses(*process.all);
}

}  // namespace mallard::recorder
