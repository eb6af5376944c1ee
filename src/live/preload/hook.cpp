#include "live/preload/hook.hpp"

#include <algorithm>
#include <atomic>

namespace mallard::live {

thread_local constinit thread_words this_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden"))) = {};

namespace {

class busy_while {
 public:
  busy_while() noexcept : before_(this_thread.busy), error_(errno) { this_thread.busy = true; }
  ~busy_while() {
    this_thread.busy = before_;
    errno = error_;
  }
  busy_while(const busy_while&) = delete;
  busy_while& operator=(const busy_while&) = delete;

 private:
  bool before_;
  int error_;
};

// Uniform between 0 and twice the mean, so that sampling does not follow a rhythm of the program.
std::int64_t next_distance(thread_words& words) noexcept {
  words.random ^= words.random << 13;
  words.random ^= words.random >> 7;
  words.random ^= words.random << 17;
  return static_cast<std::int64_t>(words.random % (2 * mean_distance));
}

}  // namespace

thread_counts* make_ready(thread_words& words) noexcept {
  if (words.closed) return nullptr;
  const busy_while working;
  if (!process.open()) {
    return nullptr;  // or another thread is just opening it
  }
  words.counts = process.open_thread();
  // A thread has its words where one that has ended had them.
  static std::atomic<std::uint64_t> threads{0};
  words.random = (threads.fetch_add(1, std::memory_order_relaxed) + 1 +
                  reinterpret_cast<std::uintptr_t>(&words)) *
                     0x9e37'79b9'7f4a'7c15 |
                 1;
  // As if it had gone on for long: what a short thread allocates is met as often as of a long one.
  words.left = std::min(next_distance(words), next_distance(words));
  return words.counts;
}

void take_sample(thread_words& words, const void* block, std::size_t bytes,
                 const frame_state& caller) noexcept {
  const busy_while working;
  std::uint64_t passed = 0;
  const std::uint64_t units = bytes + units_of_call;
  if (units >= 2 * mean_distance) {  // always sampled, and stands only for itself
    words.left += static_cast<std::int64_t>(units);
    return process.add_sample(*words.counts, caller, block, bytes, blocks_unit);
  }
  while (words.left < 0) {
    words.left += next_distance(words);
    ++passed;
  }
  // The expected number of such blocks for each one sampled.
  const std::uint64_t stands_for = passed * mean_distance * blocks_unit / units;
  process.add_sample(*words.counts, caller, block, stands_for * bytes / blocks_unit, stands_for);
}

void forget_sample(thread_words&, const void* block) noexcept {
  const busy_while working;
  const sampled_block old = process.take_sample(block);
  if (old.address != 0) process.count_freed(old);
}

void end_thread(thread_counts& slot) noexcept {
  const busy_while working;
  stop_in_this_thread();
  process.close_thread(slot);
}

void stop_in_this_thread() noexcept {
  this_thread.counts = nullptr;
  this_thread.closed = true;
}

void hook::unloaded() noexcept {
  const busy_while working;
  process.forget_addresses();
}

}  // namespace mallard::live
