#include "recorder/preload/thread_log.hpp"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "preload/cpu_timer.hpp"
#include "recorder/futex.hpp"
#include "recorder/preload/hook.hpp"
#include "unwind/build_id.hpp"

namespace mallard::recorder {
namespace {

constexpr long look_again_ms = 100;

// Rounds without a heartbeat of the reader. In another namespace the reader's number is useless, so
// we wait longer.
std::uint64_t patience() {
  return processes_of(*process.all)[process.slot].foreign ? 20 : 1;
}

// Asked from time to time by a thread that waits for the reader.
class reader_watch {
 public:
  bool has_lost_it() {
    const std::uint64_t latest = process.all->heartbeat.load(std::memory_order_relaxed);
    rounds_without_ = latest == beat_ ? rounds_without_ + 1 : 0;
    beat_ = latest;
    return rounds_without_ >= patience() &&
           preload::has_ended(static_cast<pid_t>(process.all->reader_pid));
  }

 private:
  std::uint64_t beat_ = 0;
  std::uint64_t rounds_without_ = 0;
};

}  // namespace

void thread_log::open(thread_slot& slot, std::uint32_t epoch) noexcept {
  const session_options& options = process.all->options;
  slot_ = &slot;
  head_ = slot.head.load(std::memory_order_relaxed);
  lap_ = head_;
  lap_words_ = lap_before_ = first_ring_words;
  limit_ = head_ + first_ring_words / 4;
  full_since_ = never_full;
  last_time_ = 0;
  not_epoch_ = ~epoch;
  random_ = 0;
  timed_ = {0, 0};
  choose_next(timed_, timed_group);
  with_stack_ = {1, 0};  // the first
  last_stack_ = 0;
  samples_in_call_ = 0;
  timer_ = no_timer;
  in_signal_ = false;
  nodes_.open(slot.table, table_entries);
  stack_.open(process.rules, options.unwind == unwinding::frame_pointers, options.depth);
}

void thread_log::renew(std::uint32_t epoch) noexcept {
  not_epoch_ = ~epoch;
  start_numbers_over();
}

void thread_log::write(const block_event& event, const frame_state& caller,
                       std::uint64_t cost) noexcept {
  constexpr std::size_t most_words = 5;
  if (full_since_ != never_full && process.all->options.drop && is_full_still(most_words))
      [[unlikely]] {
    return lose();  // before the stack is walked
  }
  const std::uint32_t stack = stack_of(caller, false, event.time);
  const std::size_t words = event.kind == message::free       ? 3
                            : event.kind == message::allocate ? 4
                                                              : most_words;
  std::uint64_t* const to = reserve(words);
  if (to == nullptr) [[unlikely]]
    return lose();
  to[0] = first_word(event.kind, stack, static_cast<unsigned>(event.through), event.alignment_log2);
  to[1] = event.time;
  to[2] = event.address;
  if (words > 3) to[3] = event.size;
  if (words > 4) to[4] = event.other;
  publish(words);
  last_stack_ = stack;
  if (cost != 0) [[unlikely]] {
    if (std::uint64_t* const more = reserve(1)) {
      more[0] = first_word(message::cost, cost);
      publish(1);
    }
  }
}

void thread_log::write_freed(std::uint64_t address) noexcept {
  std::uint64_t* const to = reserve(3);
  if (to == nullptr) return lose();
  to[0] = first_word(message::free, 0, static_cast<unsigned>(function::free));
  to[1] = now();
  to[2] = address;
  publish(3);
}

void thread_log::write_scope(message kind, std::uint64_t name, const frame_state& caller) noexcept {
  const std::uint64_t time = now();
  const std::uint32_t stack = stack_of(caller, false, time);
  std::uint64_t* const to = reserve(3);
  if (to == nullptr) return lose();
  to[0] = first_word(kind, name);
  to[1] = time;
  to[2] = stack;
  publish(3);
}

void thread_log::write_text(message kind, std::uint64_t low, unsigned function, const char* text,
                            std::size_t bytes) noexcept {
  const std::size_t most = (longest_message - 2) * 8;
  if (bytes > most) bytes = most;
  const std::size_t words = 2 + (bytes + 7) / 8;
  std::uint64_t* const to = reserve(words);
  if (to == nullptr) return;
  to[0] = first_word(kind, low, function);
  to[1] = bytes;
  std::memcpy(to + 2, text, bytes);
  publish(words);
}

void thread_log::write_module_gone(std::uint64_t load_bias) noexcept {
  std::uint64_t* const to = reserve(3);
  if (to == nullptr) return;
  to[0] = first_word(message::module_gone);
  to[1] = now();
  to[2] = load_bias;
  publish(3);
}

void thread_log::sample(const frame_state& at, std::uint32_t times) noexcept {
  const std::uint64_t time = now();
  in_signal_ = true;
  write_samples(message::sample, time, stack_of(at, true, time), times);
  in_signal_ = false;
}

void thread_log::write_samples(message kind, std::uint64_t time, std::uint32_t stack,
                               std::uint32_t times) noexcept {
  constexpr std::uint32_t most = 0xffff;
  if (times > most) times = most;
  std::uint64_t* const to = reserve(2);
  if (to == nullptr) return;
  to[0] = first_word(kind, stack, times & 0xff, times >> 8);
  to[1] = time;
  publish(2);
}

void thread_log::write_samples_of_call() noexcept {
  write_samples(message::sample_in_heap, now(), last_stack_, samples_in_call_);
  samples_in_call_ = 0;
}

// An event that waited for room until the recording was over counts as one after it.
void thread_log::lose() noexcept {
  (is_over() ? process.all->unrecorded : slot_->dropped).fetch_add(1, std::memory_order_relaxed);
}

std::uint32_t thread_log::stack_of(const frame_state& from, bool exact,
                                   std::uint64_t time) noexcept {
  const std::uint32_t every = process.all->options.sample_stacks;
  if (every != 1 && !exact) [[unlikely]] {
    if (every == 0 || --with_stack_.until != 0) return 0;
    choose_next(with_stack_, every);
  }
  if (nodes_.full()) [[unlikely]]
    start_numbers_over();
  const bool long_ago = time - last_time_ > process.ticks_of_microsecond;
  last_time_ = time;
  return stack_.node_of(from, exact, long_ago, *this);
}

std::uint32_t thread_log::add(std::uint64_t key, std::uint32_t parent, std::uint64_t ip,
                              std::uint64_t frame_address) noexcept {
  write_module_of(ip);
  std::uint64_t* const to = reserve(3);
  if (to == nullptr) return 0;
  to[0] = first_word(message::node, parent);
  to[1] = ip;
  to[2] = frame_address;
  publish(3);
  return nodes_.add(nodes_.find(key), key);
}

void thread_log::start_numbers_over() noexcept {
  std::uint64_t* const to = reserve(1);
  if (to != nullptr) {
    to[0] = first_word(message::forget);
    publish(1);
    nodes_.clear();
  }
  stack_.forget();
}

// The name and the build-id are read from memory, where the dynamic linker has mapped them.
void thread_log::write_module(std::uint64_t ip) noexcept {
  const module_range found = module_of(ip);
  if (found.module == nullptr) return;
  std::size_t path_bytes = std::strlen(found.module->l_name);
  if (path_bytes == 0) {  // the program itself
    const int before = errno;
    const ssize_t got = readlink("/proc/self/exe", path_, sizeof path_);
    errno = before;
    path_bytes = got > 0 ? static_cast<std::size_t>(got) : 0;
  } else {
    if (path_bytes > sizeof path_) path_bytes = sizeof path_;
    std::memcpy(path_, found.module->l_name, path_bytes);
  }

  // This thread's stack is in the module, so it stays.
  const unwind::build_id id =
      unwind::build_id_of(found, [](void* to, const void* from, std::size_t bytes) {
        std::memcpy(to, from, bytes);
        return true;
      });
  const std::size_t words = 7 + (path_bytes + 7) / 8 + (id.size + 7) / 8;
  std::uint64_t* const to = reserve(words);
  if (to == nullptr || !process.modules.add(found)) return;
  to[0] = first_word(message::module, words - 1);
  to[1] = now();
  to[2] = found.module->l_addr;
  to[3] = found.start;
  to[4] = found.end;
  to[5] = path_bytes;
  to[6] = id.size;
  std::memcpy(to + 7, path_, path_bytes);
  std::memcpy(to + 7 + (path_bytes + 7) / 8, id.bytes.data(), id.size);
  publish(words);
}

std::uint64_t* thread_log::reserve_slowly(std::size_t words) noexcept {
  const std::uint64_t to_end = lap_ + lap_words_ - head_;
  // The last word of a lap belongs to the message that leads back to the start.
  if (words >= to_end) {
    // If the reader is far behind, the lap gets longer, so that we need not wait.
    if (!make_room(to_end)) return nullptr;
    const std::uint64_t unread = head_ - slot_->tail.load(std::memory_order_acquire);
    if (lap_words_ < most_ring_words && unread > lap_words_ / 2) {
      lap_words_ *= 2;
    } else {
      slot_->ring[head_ - lap_] = first_word(message::skip, to_end);
      publish(to_end);
      lap_before_ = lap_words_;
      lap_ = head_;
    }
  }
  return make_room(words) ? slot_->ring + (head_ - lap_) : nullptr;
}

// Whether the reader has not moved since we rang.
bool thread_log::is_full_still(std::size_t words) const noexcept {
  return slot_->tail.load(std::memory_order_acquire) == full_since_ &&
         head_ + words > full_at(full_since_);
}

// Rings, and waits while the ring is full. A thread that drops events instead rings only once for
// each time that the ring is full, because a system call for each event would cost more than
// waiting.
bool thread_log::make_room(std::size_t words) noexcept {
  session& all = *process.all;
  const bool may_wait = !all.options.drop && !in_signal_;
  if (!may_wait && is_full_still(words)) return false;
  keep_cpu_signal();
  std::uint64_t began = 0;
  reader_watch reader;
  for (;;) {
    const std::uint64_t tail = slot_->tail.load(std::memory_order_acquire);
    const std::uint64_t end = full_at(tail);
    if (head_ + words <= limit_) break;
    change_and_wake(all.doorbell, all.reader_waits);
    if (head_ + words <= end) {
      // Rings the reader whenever this much is new, so that it comes before the ring is full.
      const std::uint64_t bell_at = head_ + words + lap_words_ / 4;
      const std::uint64_t last = lap_ + lap_words_ - 1;
      limit_ = bell_at < end ? bell_at : end;
      if (limit_ > last) limit_ = last;
      break;
    }
    if (!may_wait) {
      full_since_ = tail;
      return false;
    }
    if (began == 0) began = now();
    slot_->waiting.store(1, std::memory_order_seq_cst);
    const std::uint32_t seen = slot_->drained.load(std::memory_order_seq_cst);
    if (slot_->tail.load(std::memory_order_seq_cst) == tail) {
      wait_for_change(slot_->drained, seen, look_again_ms);
    }
    slot_->waiting.store(0, std::memory_order_relaxed);
    // Another recorder has started after ours was killed.
    if (&all != process.all) return false;
    if (reader.has_lost_it()) {
      leave_session();
      return false;
    }
    if (is_over()) return false;
  }
  if (began != 0) slot_->waited.fetch_add(now() - began, std::memory_order_relaxed);
  return true;
}

namespace {

thread_log* take_thread_slot() noexcept {
  session& all = *process.all;
  for (std::uint32_t i = 0; i < most_threads; ++i) {
    slot_state expected = slot_state::free;
    if (all.threads[i].load(std::memory_order_relaxed) != expected ||
        !all.threads[i].compare_exchange_strong(expected, slot_state::taken)) {
      continue;
    }
    thread_slot& slot = threads_of(all)[i];
    slot.process = process.slot;
    slot.tid = static_cast<std::uint32_t>(gettid());
    slot.started = now();
    slot.busy_at = reinterpret_cast<std::uint64_t>(&this_thread.busy);
    auto* const log = reinterpret_cast<thread_log*>(slot.own);
    log->open(slot, process.page->epoch.load(std::memory_order_relaxed));
    processes_of(all)[process.slot].open_threads.fetch_add(1, std::memory_order_relaxed);
    std::uint32_t used = all.threads_used.load(std::memory_order_relaxed);
    while (used <= i && !all.threads_used.compare_exchange_weak(used, i + 1)) {
    }
    all.threads[i].store(slot_state::in_use, std::memory_order_release);
    return log;
  }
  return nullptr;
}

// Whether one of this process's slots waits only for the reader to see that its thread has ended.
bool has_ended_thread() noexcept {
  session& all = *process.all;
  const int before = errno;
  bool found = false;
  for (std::uint32_t i = 0; i < most_threads && !found; ++i) {
    const thread_slot& slot = threads_of(all)[i];
    found = all.threads[i].load(std::memory_order_acquire) == slot_state::in_use &&
            slot.process == process.slot && syscall(SYS_tgkill, getpid(), slot.tid, 0) != 0 &&
            errno == ESRCH;
  }
  errno = before;
  return found;
}

}  // namespace

// If all slots are taken, waits until the reader has found ended threads. If none has ended, no
// thread waits again for a second: unrecorded threads must not be slower than recorded ones.
thread_log* open_thread() noexcept {
  session& all = *process.all;
  constexpr unsigned most_rounds = 40;
  reader_watch reader;
  const auto is_full = [] { return process.full_until.load(std::memory_order_relaxed) > now(); };
  for (unsigned round = 0; !is_full(); ++round) {
    if (thread_log* const log = take_thread_slot()) return log;
    if (round == most_rounds && has_ended_thread() && !reader.has_lost_it() && !is_over()) {
      round = 0;
    } else if (round == most_rounds || all.options.drop) {
      process.full_until.store(now() + 1'000'000 * process.ticks_of_microsecond,
                               std::memory_order_relaxed);
      break;
    }
    std::atomic<std::uint32_t> nobody_wakes{};
    wait_for_change(nobody_wakes, 0, 5);
  }
  processes_of(all)[process.slot].refused.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

}  // namespace mallard::recorder
