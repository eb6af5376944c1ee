// Hooks on the calls by which a program limits or locks its memory. The recording's address space,
// of which little is in use, is none of the program's: it would take all that a limit allows, and
// gigabytes of memory if all pages were locked.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/caller.hpp"
#include "recorder/preload/process.hpp"

using namespace mallard::recorder;

namespace {

// Returns: the limit with room for the recording.
rlim64_t with_recording(rlim64_t limit) noexcept {
  return limit > RLIM64_INFINITY - session_bytes ? RLIM64_INFINITY : limit + session_bytes;
}

// As the system call, which has one form of the limit on all machines.
int limit(pid_t pid, int resource, const rlimit64* to, rlimit64* before) noexcept {
  const bool is_own = pid == 0 || pid == getpid();
  const bool is_recorded = process.page->epoch.load(std::memory_order_relaxed) != 0;
  rlimit64 now{};
  if (to == nullptr || resource != RLIMIT_AS || !is_own || !is_recorded ||
      syscall(SYS_prlimit64, 0, RLIMIT_AS, nullptr, &now) != 0 || to->rlim_cur > to->rlim_max) {
    return static_cast<int>(syscall(SYS_prlimit64, pid, resource, to, before));
  }
  // Nobody but root raises the hard limit.
  rlimit64 wanted{with_recording(to->rlim_cur), with_recording(to->rlim_max)};
  if (to->rlim_max <= now.rlim_max && wanted.rlim_max > now.rlim_max)
    wanted.rlim_max = now.rlim_max;
  if (wanted.rlim_cur > wanted.rlim_max) wanted.rlim_cur = wanted.rlim_max;
  return static_cast<int>(syscall(SYS_prlimit64, pid, resource, &wanted, before));
}

}  // namespace

MALLARD_ENTRY int setrlimit64(__rlimit_resource_t resource, const rlimit64* to) noexcept {
  return limit(0, static_cast<int>(resource), to, nullptr);
}

MALLARD_ENTRY int prlimit64(pid_t pid, __rlimit_resource resource, const rlimit64* to,
                            rlimit64* before) noexcept {
  return limit(pid, static_cast<int>(resource), to, before);
}

// The two forms are one on machines of 64 bits.
static_assert(sizeof(rlimit) == sizeof(rlimit64));
MALLARD_ENTRY int setrlimit(__rlimit_resource_t resource, const rlimit* to) noexcept {
  return limit(0, static_cast<int>(resource), reinterpret_cast<const rlimit64*>(to), nullptr);
}

MALLARD_ENTRY int prlimit(pid_t pid, __rlimit_resource resource, const rlimit* to,
                          rlimit* before) noexcept {
  return limit(pid, static_cast<int>(resource), reinterpret_cast<const rlimit64*>(to),
               reinterpret_cast<rlimit64*>(before));
}

// Pages that nobody has used yet are locked when they are.
MALLARD_ENTRY int mlockall(int flags) noexcept {
  return static_cast<int>(syscall(SYS_mlockall, flags | MCL_ONFAULT));
}
