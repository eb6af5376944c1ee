// Purpose: waiting for the other side of shared memory.
#pragma once

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace mallard::recorder {

// Waits until the word differs from `seen` and somebody wakes us, or the time is over. Keeps errno.
inline void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t seen,
                            long milliseconds) noexcept {
  const int before = errno;
  const timespec longest{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &longest, nullptr, 0);
  errno = before;
}

// `waits`: non-zero if somebody waits, or is about to check the word and wait.
inline void change_and_wake(std::atomic<std::uint32_t>& word,
                            const std::atomic<std::uint32_t>& waits) noexcept {
  word.fetch_add(1, std::memory_order_seq_cst);
  if (waits.load(std::memory_order_seq_cst) == 0) return;
  const int before = errno;
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  errno = before;
}

}  // namespace mallard::recorder
