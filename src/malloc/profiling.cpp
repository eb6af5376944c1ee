// A signal may come in the middle of malloc, which then holds locks that writing needs: so the file
// is written with the next sample, by whichever thread takes it.
#include "malloc/profiling.hpp"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "malloc/call_stack.hpp"
#include "malloc/fatal.hpp"
#include "malloc/guarded_blocks.hpp"
#include "malloc/heap_profile.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/pprof_file.hpp"
#include "malloc/sampling.hpp"
#include "malloc/slow_path.hpp"
#include "malloc/taken_signal.hpp"
#include "malloc/text_out.hpp"

namespace mallard::inline v1::detail {
namespace {

constexpr std::size_t most_path_bytes = 512;

constinit std::array<char, most_path_bytes> path_of_files{"mallard-heap"};
constinit std::atomic<std::uint32_t> files_written{0};
constinit std::atomic<bool> is_due{false};
constinit std::atomic<bool> is_written_at_exit{false};
constinit taken_signal signal_of_files;
constinit std::atomic<std::uint64_t> growth_bytes{0};
constinit std::atomic<std::uint64_t> due_at_bytes{UINT64_MAX};

using file_name = std::array<char, most_path_bytes + 64>;

// Out of line, so that its buffer is not on the stack while a file is written.
[[gnu::noinline]] void name_next(file_name& name) noexcept {
  char* end = name.data();
  const auto append = [](void* to, const char* text, std::size_t bytes) {
    auto*& at = *static_cast<char**>(to);
    std::memcpy(at, text, bytes);
    at += bytes;
  };
  text_out out(append, &end);
  out << path_of_files.data() << "." << static_cast<std::size_t>(getpid()) << "."
      << files_written.fetch_add(1, std::memory_order_relaxed) << ".pb";
  out.flush();
  *end = '\0';
}

void write_next() noexcept {
  const kept_errno keep;
  file_name name;
  int failure = 0;
  do {  // a process before may have had the same number
    name_next(name);
    failure = write_pprof(name.data(), existing_file::is_an_error);
  } while (failure == EEXIST);
  if (failure == EINVAL) return warn("there is no heap profile to write: set ", "profile=BYTES");
  if (failure != 0) warn_of_error("the heap profile cannot be written: ", name.data(), failure);
}

// An alternate stack may have little more than the least that a handler needs.
bool is_stack_short(const stack_t& alternate, const void* here) noexcept {
  constexpr std::size_t needed_bytes = 4096;
  const std::uintptr_t used_from = address_of(here) - address_of(alternate.ss_sp);
  return used_from < needed_bytes && used_from < alternate.ss_size;
}

void at_signal(int, siginfo_t*, void* context) {
  is_due.store(true, std::memory_order_relaxed);
  if (is_stack_short(static_cast<const ucontext_t*>(context)->uc_stack, &context)) return;
  if (!slow_path::is_inside()) write_profile_if_due();
}

// The instruction behind it would fault again when a handler has returned.
bool is_of_fault(int signal) noexcept {
  constexpr std::array faults{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
  return std::find(faults.begin(), faults.end(), signal) != faults.end();
}

bool has_grown() noexcept {
  const std::uint64_t live = the_profile.live_bytes();
  std::uint64_t at = due_at_bytes.load(std::memory_order_relaxed);
  return live >= at && due_at_bytes.compare_exchange_strong(
                           at, live + growth_bytes.load(std::memory_order_relaxed));
}

}  // namespace

int begin_profile(std::size_t mean_bytes) noexcept {
  prepare_call_stacks();
  if (!the_profile.open()) return ENOMEM;
  reserve_for_pprof();
  set_samples(mean_bytes == 0 ? usual_mean_bytes : mean_bytes);
  return 0;
}

int begin_guarding(std::size_t mean_calls) noexcept {
  prepare_call_stacks();
  if (mean_calls != 0 && !the_guarded.open()) return ENOMEM;
  set_guarded_samples(mean_calls);
  return 0;
}

void write_profile_at_exit() noexcept {
  is_written_at_exit.store(true, std::memory_order_relaxed);
}

bool write_profile_at_signal(int signal) noexcept {
  if (signal_of_files.is_taken() || is_of_fault(signal)) return false;
  struct sigaction action{};
  action.sa_sigaction = at_signal;
  action.sa_flags = SA_RESTART | SA_ONSTACK | SA_SIGINFO;
  sigfillset(&action.sa_mask);
  return signal_of_files.take(signal, action);
}

void write_profile_at_growth(std::size_t bytes) noexcept {
  growth_bytes.store(bytes, std::memory_order_relaxed);
  due_at_bytes.store(bytes, std::memory_order_relaxed);
}

bool set_profile_path(const char* path) noexcept {
  const std::size_t length = std::strlen(path);
  if (length == 0 || length >= path_of_files.size()) return false;
  std::memcpy(path_of_files.data(), path, length + 1);
  return true;
}

void write_profile_if_due() noexcept {
  if (is_due.exchange(false, std::memory_order_relaxed) || has_grown()) write_next();
}

void write_last_profile() noexcept {
  // A late signal must not end the process.
  struct sigaction& before = signal_of_files.before();
  if (before.sa_handler == SIG_DFL) before.sa_handler = SIG_IGN;
  signal_of_files.give_back();
  if (is_written_at_exit.load(std::memory_order_relaxed) && !slow_path::is_inside()) write_next();
}

}  // namespace mallard::inline v1::detail
