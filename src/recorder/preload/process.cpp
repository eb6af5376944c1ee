#include "recorder/preload/process.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/futex.hpp"
#include "recorder/preload/cpu_timer.hpp"
#include "recorder/preload/hook.hpp"

namespace mallard::recorder {
namespace {

constinit session no_session{};
constinit fork_page no_page{};

std::uint64_t own_pid_namespace() {
  struct stat found{};
  return stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

session* map_session(const char* path) {
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat found{};
  void* memory = MAP_FAILED;
  if (fstat(file, &found) == 0 && found.st_size == static_cast<off_t>(session_bytes)) {
    memory =
        mmap(nullptr, session_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  }
  close(file);
  if (memory == MAP_FAILED) return nullptr;
  auto* const all = static_cast<session*>(memory);
  if (all->magic != session_magic || all->bytes != session_bytes) {
    munmap(memory, session_bytes);
    return nullptr;
  }
  madvise(memory, session_bytes, MADV_DONTDUMP);
  return all;
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

bool take_process_slot(session& all, bool foreign) {
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
    slots[i].started = now();
    const ssize_t length =
        readlink("/proc/self/exe", slots[i].program, sizeof slots[i].program - 1);
    slots[i].program[length < 0 ? 0 : length] = '\0';
    slots[i].open_threads.store(0, std::memory_order_relaxed);
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

bool open_first_time() {
  const char* const path = getenv(session_variable);
  if (path == nullptr) return false;
  session* const all = map_session(path);
  if (all == nullptr) return false;
  fork_page* const page = map_fork_page();
  if (page == nullptr || !process.rules.open()) return false;
  process.all = all;
  process.page = page;
  const bool foreign = own_pid_namespace() != all->pid_namespace;
  if (!is_followed(*all) || !take_process_slot(*all, foreign)) return false;
  process.ticks_of_microsecond = all->ticks_of_microsecond;
  prepare_cpu_timers();
  return true;
}

bool open_child_of_fork() {
  session& all = *process.all;
  process.modules.start_over();
  process.full_until.store(0, std::memory_order_relaxed);
  // A parent's number of 0: the child is the first process of a namespace of its own.
  const bool foreign = processes_of(all)[process.slot].foreign || getppid() == 0;
  return is_followed(all) && take_process_slot(all, foreign);
}

}  // namespace

constinit process_state process{&no_session, &no_page};

void new_epoch() noexcept {
  process.page->epoch.store(++process.last_epoch, std::memory_order_release);
}

void leave_session() noexcept {
  process.state.store(process_state::phase::not_recorded);
  process.page->epoch.store(0, std::memory_order_release);
}

bool open_process() noexcept {
  using enum process_state::phase;
  const int before = errno;
  auto seen = process.state.load(std::memory_order_acquire);
  bool opened = false;
  if (seen == unknown && process.state.compare_exchange_strong(seen, opening)) {
    opened = open_first_time();
  } else if (seen == recorded && process.page->epoch.load() == 0 &&
             process.state.compare_exchange_strong(seen, opening)) {
    this_thread.log = nullptr;
    opened = open_child_of_fork();
  } else {
    errno = before;
    return seen == recorded;
  }
  if (opened) new_epoch();
  process.state.store(opened ? recorded : not_recorded, std::memory_order_release);
  errno = before;
  return opened;
}

}  // namespace mallard::recorder
