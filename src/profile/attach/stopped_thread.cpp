#include "profile/attach/stopped_thread.hpp"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

namespace mallard::profile {
namespace {

constexpr std::uint64_t red_zone = 128;
constexpr std::uint64_t handler_end_bytes = 9;  // mov $15, %rax; syscall
constexpr std::uint64_t all_signals = ~std::uint64_t{0};

// The kernel's internal results of calls to be restarted, which programs never see.
constexpr long restart = 512;  // ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND
constexpr long last_restart = 514;
constexpr long restart_by_block = 516;  // ERESTART_RESTARTBLOCK

bool is_restart(long result) {
  return (result <= -restart && result >= -last_restart) || result == -restart_by_block;
}

// glibc declares an enumeration, the kernel's header has numbers.
long ask_kernel(int request, pid_t tid, void* address, void* data) {
  return syscall(SYS_ptrace, request, tid, address, data);
}

// Whether signals are pending and not blocked.
bool has_signals(pid_t tid) {
  std::ifstream in("/proc/" + std::to_string(tid) + "/status");
  std::uint64_t pending = 0, blocked = 0;
  for (std::string line; std::getline(in, line);) {
    const bool waits = line.starts_with("SigPnd:") || line.starts_with("ShdPnd:");
    if (!waits && !line.starts_with("SigBlk:")) continue;
    (waits ? pending : blocked) |= std::stoull(line.substr(7), nullptr, 16);
  }
  return (pending & ~blocked) != 0;
}

}  // namespace

stopped_thread::stopped_thread(pid_t tid, const process_memory& memory)
    : tid_(tid), memory_(memory) {
  void* const options = reinterpret_cast<void*>(std::uintptr_t{PTRACE_O_TRACESYSGOOD});
  if (ask_kernel(PTRACE_SEIZE, tid, nullptr, options) != 0) {
    throw std::system_error(errno, std::generic_category(), "ptrace");
  }
  int status = 0;
  if (ask_kernel(PTRACE_INTERRUPT, tid, nullptr, nullptr) != 0 || !wait(1, status)) {
    ask_kernel(PTRACE_DETACH, tid, nullptr, nullptr);
    return;
  }
  // Any other stop belongs to a signal or to the whole process, and must not be disturbed.
  if (!WIFSTOPPED(status)) return;
  if (status >> 16 != PTRACE_EVENT_STOP || WSTOPSIG(status) != SIGTRAP) {
    const bool is_signal = status >> 16 == 0;
    ask_kernel(PTRACE_DETACH, tid, nullptr,
               reinterpret_cast<void*>(std::intptr_t{is_signal ? WSTOPSIG(status) : 0}));
    return;
  }
  vectors_.resize(std::size_t{1} << 14);
  iovec room{vectors_.data(), vectors_.size()};
  if (ask_kernel(PTRACE_GETREGS, tid, nullptr, &registers_) != 0 ||
      ask_kernel(PTRACE_GETREGSET, tid, reinterpret_cast<void*>(NT_X86_XSTATE), &room) != 0 ||
      ask_kernel(PTRACE_GETSIGMASK, tid, reinterpret_cast<void*>(sizeof signals_), &signals_) !=
          0) {
    ask_kernel(PTRACE_DETACH, tid, nullptr, nullptr);
    return;
  }
  vectors_.resize(room.iov_len);
  top_ = registers_.rsp - red_zone;
  state_ = state::stopped;
}

stopped_thread::~stopped_thread() {
  if (state_ != state::stopped) return;
  if (has_called_) {
    if (errno_at_ != 0) memory_.write(errno_at_, &errno_, sizeof errno_);
    user_regs_struct back = resumed();
    iovec saved{vectors_.data(), vectors_.size()};
    ask_kernel(PTRACE_SETREGSET, tid_, reinterpret_cast<void*>(NT_X86_XSTATE), &saved);
    ask_kernel(PTRACE_SETREGS, tid_, nullptr, &back);
    ask_kernel(PTRACE_SETSIGMASK, tid_, reinterpret_cast<void*>(sizeof signals_), &signals_);
  } else if (static_cast<long>(registers_.rax) == -EINTR && system_call() >= 0) {
    user_regs_struct back = resumed();
    ask_kernel(PTRACE_SETREGS, tid_, nullptr, &back);
  }
  ask_kernel(PTRACE_DETACH, tid_, nullptr, nullptr);
}

long stopped_thread::system_call() const {
  const long result = static_cast<long>(registers_.rax);
  const bool waited = is_restart(result) || result == -EINTR;
  return waited ? static_cast<long>(registers_.orig_rax) : -1;
}

// Returns: the registers to go on with. An interrupted system call begins anew: the instruction
// pointer is set before it. The program sees EINTR only if a signal is there.
user_regs_struct stopped_thread::resumed() const {
  user_regs_struct out = registers_;
  const long call = system_call();
  const long result = static_cast<long>(registers_.rax);
  constexpr std::uint64_t instruction_bytes = 2;
  if (call >= 0 && (is_restart(result) || !has_signals(tid_))) {
    out.rax = static_cast<std::uint64_t>(result == -restart_by_block ? SYS_restart_syscall : call);
    out.rip -= instruction_bytes;
  }
  out.orig_rax = ~std::uint64_t{0};
  return out;
}

bool stopped_thread::wait(double longest, int& status) {
  using clock = std::chrono::steady_clock;
  const clock::time_point end =
      clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(longest * 1e6));
  while (clock::now() < end) {
    const pid_t found = waitpid(tid_, &status, __WALL | WNOHANG);
    if (found == tid_) return true;
    if (found < 0 && errno != EINTR) return false;
    const timespec pause{0, 100'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

std::uint64_t stopped_thread::put(const void* from, std::size_t bytes) {
  const std::uint64_t at = (top_ - bytes) & ~std::uint64_t{63};
  if (!memory_.write(at, from, bytes)) return 0;
  top_ = at;
  return at;
}

// Builds a signal handler's frame: return address, registers, then floating-point and vector
// registers.
std::uint64_t stopped_thread::put_frame(std::uint64_t handler_end) {
  std::vector<std::uint8_t> vectors = vectors_;
  constexpr std::size_t software = 464;  // describes what follows the legacy 512 bytes
  const auto bytes = static_cast<std::uint32_t>(vectors.size());
  const std::uint32_t marks[] = {0x46505853, bytes + 4};
  const std::uint32_t last_mark = 0x46505845;
  std::uint64_t features = 0;
  std::memcpy(&features, vectors.data() + software, sizeof features);
  std::memset(vectors.data() + software, 0, 48);
  std::memcpy(vectors.data() + software, marks, sizeof marks);
  std::memcpy(vectors.data() + software + 8, &features, sizeof features);
  std::memcpy(vectors.data() + software + 16, &bytes, sizeof bytes);
  vectors.resize(vectors.size() + sizeof last_mark);
  std::memcpy(vectors.data() + bytes, &last_mark, sizeof last_mark);
  const std::uint64_t vectors_at = put(vectors.data(), vectors.size());

  struct frame {
    std::uint64_t unused;
    std::uint64_t handler_end;
    std::uint64_t flags;
    std::uint64_t link;
    stack_t stack;
    std::uint64_t registers[23];
    std::uint64_t vectors;
    std::uint64_t reserved[8];
    std::uint64_t signals;
  } made{};
  made.handler_end = handler_end;
  made.flags = 1;            // there are vectors
  made.stack.ss_flags = 64;  // invalid on purpose: sigreturn then keeps the handlers' stack
  const user_regs_struct from = resumed();
  const std::uint64_t all[] = {from.r8,  from.r9,  from.r10, from.r11, from.r12, from.r13,
                               from.r14, from.r15, from.rdi, from.rsi, from.rbp, from.rbx,
                               from.rdx, from.rax, from.rcx, from.rsp, from.rip, from.eflags};
  std::memcpy(made.registers, all, sizeof all);
  made.registers[18] = from.cs | from.ss << 48;
  made.vectors = vectors_at;
  made.signals = signals_;
  const std::uint64_t at = put(&made, sizeof made);
  return vectors_at == 0 || at == 0 ? 0 : at + offsetof(frame, handler_end);
}

// Sets the thread to the beginning of the function.
bool stopped_thread::enter(std::uint64_t function, std::uint64_t first, std::uint64_t second,
                           std::uint64_t handler_end) {
  const std::uint64_t stack = put_frame(handler_end);
  if (stack == 0) return false;
  user_regs_struct to = registers_;
  to.rsp = stack;
  to.rip = function;
  to.rdi = first;
  to.rsi = second;
  to.rax = 0;
  to.orig_rax = ~std::uint64_t{0};
  to.eflags &= ~std::uint64_t{0x400};  // the direction flag
  const std::uint64_t none_but_errors = all_signals;
  ask_kernel(PTRACE_SETSIGMASK, tid_, reinterpret_cast<void*>(sizeof none_but_errors),
             const_cast<std::uint64_t*>(&none_but_errors));
  if (ask_kernel(PTRACE_SETREGS, tid_, nullptr, &to) != 0) return false;
  has_called_ = true;
  return true;
}

bool stopped_thread::call(std::uint64_t function, std::uint64_t first, std::uint64_t second,
                          std::uint64_t handler_end, double longest) {
  const std::uint64_t top = top_;
  if (!enter(function, first, second, handler_end)) return false;
  const bool back = run_to(handler_end, longest);
  top_ = top;
  return back;
}

// By single steps, because the end of a handler loses the function's result. It takes three.
void stopped_thread::keep_errno(std::uint64_t errno_location, std::uint64_t handler_end) {
  constexpr int most_steps = 64;
  const std::uint64_t top = top_;
  if (!enter(errno_location, 0, 0, handler_end)) return;
  user_regs_struct at{};
  int status = 0;
  for (int i = 0; i < most_steps && at.rip != handler_end; ++i) {
    if (ask_kernel(PTRACE_SINGLESTEP, tid_, nullptr, nullptr) != 0 || !wait(1, status) ||
        !WIFSTOPPED(status) || ask_kernel(PTRACE_GETREGS, tid_, nullptr, &at) != 0) {
      return;
    }
  }
  top_ = top;
  if (at.rip == handler_end && memory_.read(at.rax, &errno_, sizeof errno_)) errno_at_ = at.rax;
}

bool stopped_thread::run_to(std::uint64_t handler_end, double longest) {
  for (int status = 0;;) {
    if (ask_kernel(PTRACE_SYSCALL, tid_, nullptr, nullptr) != 0) break;
    if (!wait(longest, status)) {
      // The thread will return by itself later.
      ask_kernel(PTRACE_INTERRUPT, tid_, nullptr, nullptr);
      if (wait(1, status) && WIFSTOPPED(status)) ask_kernel(PTRACE_DETACH, tid_, nullptr, nullptr);
      break;
    }
    if (!WIFSTOPPED(status)) break;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      __ptrace_syscall_info info{};
      ask_kernel(PTRACE_GET_SYSCALL_INFO, tid_, reinterpret_cast<void*>(sizeof info), &info);
      if (info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_rt_sigreturn &&
          info.instruction_pointer == handler_end + handler_end_bytes) {
        return true;
      }
    } else if (status >> 16 == 0) {
      // A fault of its own, which cannot be blocked: the process must end by it.
      ask_kernel(PTRACE_DETACH, tid_, nullptr,
                 reinterpret_cast<void*>(std::intptr_t{WSTOPSIG(status)}));
      break;
    }
  }
  state_ = state::gone;
  return false;
}

}  // namespace mallard::profile
