#include "recorder/preload/hook.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "preload/call_slots.hpp"
#include "preload/cpu_timer.hpp"

namespace mallard::recorder {

thread_local constinit thread_state this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden"))) = {};

namespace {

// Writes the process's command line, because the process may be gone before the reader asks.
void write_command(thread_log& log) {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char text[2048];
  const ssize_t got = read(file, text, sizeof text);
  close(file);
  if (got > 0) log.write_text(message::command, 0, 0, text, static_cast<std::size_t>(got));
}

thread_log* open_this_thread() {
  thread_log* const log = open_thread();
  if (log == nullptr) return nullptr;
  this_thread.log = log;
  if (processes_of(*process.all)[process.slot].open_threads.load() == 1) {
    write_command(*log);
    // The malloc in use is on no stack.
    log->write_module_of(
        reinterpret_cast<std::uint64_t>(next<void*(std::size_t)>(function::malloc)));
  }
  log->keep_timer(start_cpu_timer());
  return log;
}

bool is_in_session(const thread_log* log) {
  return reinterpret_cast<std::uint64_t>(log) - reinterpret_cast<std::uint64_t>(process.all) <
         session_bytes;
}

// Runs before the program's code, which may give up the rights needed here. It also reports
// programs that never call this malloc.
[[gnu::constructor]] void open_before_the_program() noexcept {
  if (open_process()) start_cpu_timer();
}

}  // namespace

thread_log* make_ready(bool& only_frees) noexcept {
  if (process.gate.is_closed()) return nullptr;
  const bool was_busy = this_thread.busy;
  this_thread.busy = true;
  thread_log* log = nullptr;
  const int before = errno;
  if (open_process()) {
    const auto mode = static_cast<recording>(process.all->mode.load(std::memory_order_relaxed));
    const bool paused = process.paused.load(std::memory_order_relaxed) != 0;
    if (mode == recording::on || mode == recording::paused) {
      only_frees = paused || mode == recording::paused;
      log = this_thread.log;
      // The reader took this thread for an ended one, or the log belongs to an earlier recording.
      if (log != nullptr && (!is_in_session(log) || !log->is_open())) log = nullptr;
      if (log == nullptr && !only_frees) log = open_this_thread();
      const std::uint32_t epoch = process.page->epoch.load(std::memory_order_acquire);
      if (log != nullptr && !log->is_of(epoch)) log->renew(epoch);
    }
  }
  errno = before;
  this_thread.busy = was_busy;
  return log;
}

void count_unrecorded() noexcept {
  if (process.gate.is_closed()) return;
  session& all = *process.all;
  if (is_idle()) (is_over() ? all.unrecorded : all.skipped).fetch_add(1, std::memory_order_relaxed);
}

void hook::unloaded() noexcept {
  entered log;
  if (!log.frees()) return;
  bool any = false;
  process.modules.remove_unloaded([&](std::uint64_t load_bias) {
    any = true;
    log->write_module_gone(load_bias);
  });
  if (!any) return;
  process.rules.clear();
  new_epoch();
  if (process.is_attached) forget_unloaded_modules();
}

}  // namespace mallard::recorder
