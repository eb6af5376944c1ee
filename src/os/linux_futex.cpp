#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mallard/detail/os/futex.hpp"

namespace mallard::inline v1::detail::os {

void wait_at(const void* word, std::uint32_t value) noexcept {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake_one_at(const void* word) noexcept {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// The C library's own function for it is a cancellation point.
void sleep_briefly() noexcept {
  constexpr timespec short_time{0, 100'000};
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &short_time, nullptr);
}

}  // namespace mallard::inline v1::detail::os
