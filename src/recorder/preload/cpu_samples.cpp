#include "recorder/preload/cpu_samples.hpp"

#include <atomic>

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

}  // namespace

void prepare_cpu_samples() noexcept {
  prepare_cpu_timers({sampled, process_number}, process.all->options.cpu_period_us);
}

void end_cpu_samples() noexcept {
  session& all = *process.all;
  for (std::uint32_t i = 0; i < all.threads_used.load(std::memory_order_acquire); ++i) {
    if (all.threads[i].load(std::memory_order_acquire) != slot_state::in_use) continue;
    thread_slot& slot = threads_of(all)[i];
    if (slot.process != process.slot) continue;
    delete_cpu_timer(reinterpret_cast<const thread_log*>(slot.own)->timer());
  }
}

}  // namespace mallard::recorder
