#include "profile/attach/running_process.hpp"

#include <dlfcn.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "process/process.hpp"
#include "profile/attach/frame_walk.hpp"
#include "profile/attach/stopped_thread.hpp"
#include "profile/record/program_check.hpp"

namespace mallard::profile {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds longest_search(10), silent_search(2);
constexpr double longest_call = 10;  // seconds
constexpr std::uint64_t stack_needed = std::uint64_t{64} << 10;
constexpr std::uint64_t stack_searched = std::uint64_t{256} << 10;

std::string folder_of(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

using process::file_text;

// The number after this word in /proc/PID/status.
long status_of(const std::string& folder, const std::string& word, int base = 10) {
  std::ifstream in(folder + "/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(word)) {
      return static_cast<long>(std::strtoull(line.c_str() + word.size(), nullptr, base));
    }
  }
  return 0;
}

// Whether it is a call in which a server's thread waits, and neither a dynamic linker nor the C
// library's malloc.
bool is_of_waiting(long call, std::uint64_t second) {
  switch (call) {
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_accept:
    case SYS_accept4:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
    case SYS_restart_syscall:  // the rest of a sleep or wait that a stop interrupted
      return true;
    case SYS_futex:
      // Condition variables, semaphores and joins wait so; locks do not.
      return (second & static_cast<std::uint64_t>(FUTEX_CMD_MASK)) == FUTEX_WAIT_BITSET;
    default:
      return false;
  }
}

// Whether it reads from something other than a file on disk: a dynamic linker reads from those.
bool is_read_of_stream(pid_t pid, long call, std::uint64_t descriptor) {
  if (call != SYS_read) return false;
  const std::string file = folder_of(pid) + "/fd/" + std::to_string(descriptor);
  std::error_code gone;
  const fs::file_type type = fs::status(file, gone).type();
  if (type == fs::file_type::fifo || type == fs::file_type::socket) return true;
  const std::string target = fs::read_symlink(file, gone).string();
  return target.starts_with("anon_inode:") || target.starts_with("/dev/pts/") ||
         target.starts_with("/dev/tty");
}

// Whether a call instruction ends before this address, so that a function may return to it.
bool is_return_address(const process_memory& memory, std::uint64_t address) {
  std::array<std::uint8_t, 7> code{};
  if (!memory.read(address - code.size(), code.data(), code.size())) return false;
  if (code[2] == 0xe8) return true;
  for (const std::size_t length : {2U, 3U, 4U, 6U, 7U}) {  // call *..., by its length
    const std::uint8_t* const at = code.data() + code.size() - length;
    if (at[0] == 0xff && (at[1] >> 3 & 7) == 2) return true;
    if (length > 2 && at[0] >= 0x40 && at[0] < 0x50 && at[1] == 0xff && (at[2] >> 3 & 7) == 2) {
      return true;
    }
  }
  return false;
}

bool in_any(const std::vector<address_range>& all, std::uint64_t address) {
  return std::any_of(all.begin(), all.end(),
                     [=](const address_range& one) { return one.has(address); });
}

}  // namespace

std::string way_round_ptrace_scope(int scope) {
  const std::string is = "kernel.yama.ptrace_scope is " + std::to_string(scope);
  switch (scope) {
    case 1:
      return is + ", so only its parent and root may attach: run this command with sudo";
    case 2:
      return is + ", so only root may attach: run this command with sudo";
    case 3:
      return is +
             ", so nobody may attach until the machine restarts: start the program with mallard "
             "record";
    default:
      return "";
  }
}

void running_process::fail(const std::string& why) const {
  throw std::runtime_error("process " + std::to_string(pid_) + " " + why);
}

void running_process::fail_since(const std::string& otherwise) const {
  if (is_there()) fail(otherwise);
  fail(process::has_ended(pid_) ? "has ended" : "executes another program now");
}

running_process::running_process(pid_t pid, std::function<void()> waits_long)
    : pid_(pid), memory_(pid), waits_long_(std::move(waits_long)) {
  const std::string folder = folder_of(pid);
  std::error_code error;
  if (pid == getpid()) fail("is this command itself");
  if (!fs::exists(folder, error)) fail("does not exist");
  if (process::has_ended(pid)) fail("has ended");
  if (process::state_of(pid) == 'Z')
    fail("goes on without its first thread, which attaching needs");
  if (status_of(folder, "Tgid:") != pid) fail("is a thread: give the number of its process");
  const std::string program = fs::read_symlink(folder + "/exe", error).string();
  if (error == std::errc::no_such_file_or_directory) fail("is one of the kernel's own");
  if (error && geteuid() == 0) fail("cannot be inspected: root lacks the right to do so here");
  if (error) fail("belongs to another user: only that user may attach to it");
  if (const long tracer = status_of(folder, "TracerPid:"); tracer != 0) {
    fail("is traced by process " + std::to_string(tracer) + ", as by a debugger");
  }
  const auto same_file = [&](const char* which) {
    const std::string other = folder + which;
    const std::string own = std::string("/proc/self") + which;
    return fs::read_symlink(other, error) == fs::read_symlink(own, error);
  };
  if (!same_file("/ns/mnt") || !same_file("/ns/pid")) {
    fail("runs in other namespaces, as in a container: attach from inside");
  }
  if (status_of(folder, "Seccomp_filters:") > status_of("/proc/self", "Seccomp_filters:")) {
    fail("has given up system calls by a seccomp filter: it cannot load a library");
  }
  std::vector<mapping> all = mappings_of(pid);
  if (all.empty()) fail("cannot be inspected");
  const auto has = [&](const char* name) {
    return std::any_of(all.begin(), all.end(),
                       [&](const mapping& one) { return is_named(one, name); });
  };
  program_check found = check_program(folder + "/exe");
  found.file = program;
  if (has("ld-musl")) found.what = obstacle::other_libc;
  if (found.what != obstacle::none) throw std::runtime_error(describe(found));
  // A program that has just begun has its libraries soon.
  for (int i = 0; i < 100 && has("ld-linux") && !has("libc.so.6"); ++i) {
    usleep(10'000);
    all = mappings_of(pid);
  }
  if (!has("libc.so.6")) fail("does not use the system's C library: nothing can be loaded into it");
  for (const char* sanitizer : {"libasan.so", "libtsan.so", "liblsan.so"}) {
    if (has(sanitizer)) fail(std::string("has the malloc of a sanitizer, ") + sanitizer);
  }
  program_ = all.front().range.start;
}

std::vector<std::string> running_process::command() const {
  std::vector<std::string> out;
  std::ifstream in(folder_of(pid_) + "/cmdline", std::ios::binary);
  for (std::string word; std::getline(in, word, '\0');) out.push_back(word);
  // A server that has written a title over its command leaves the rest empty.
  while (out.size() > 1 && out.back().empty()) out.pop_back();
  return out;
}

bool running_process::is_there() const {
  if (process::has_ended(pid_)) return false;
  std::uint8_t byte = 0;
  // Nobody reads a process whose first thread has ended, but no other program can take its place.
  return program_ == 0 || process::state_of(pid_) == 'Z' || memory_.read(program_, &byte, 1);
}

bool running_process::has_library(const std::string& path) const {
  const std::vector<mapping> all = mappings_of(pid_);
  std::error_code error;
  const std::string file = fs::canonical(path, error).string();
  return std::any_of(all.begin(), all.end(), [&](const mapping& one) { return one.path == file; });
}

bool running_process::has_fewer_rights() const {
  const auto own = static_cast<std::uint64_t>(status_of("/proc/self", "CapPrm:", 16));
  return (own & ~static_cast<std::uint64_t>(status_of(folder_of(pid_), "CapEff:", 16))) != 0;
}

std::uint64_t running_process::modules() const {
  std::uint64_t out = 0;
  for (const mapping& one : mappings_of(pid_)) {
    if (one.is_code && !one.path.empty()) {
      out = out * 31 + std::hash<std::string>()(one.path) + one.range.start;
    }
  }
  return out;
}

running_process::places running_process::find_places(const std::vector<mapping>& all) const {
  places out;
  std::uint64_t module = 0;  // its first address
  std::string path;
  for (const mapping& one : all) {
    if (one.path == "[vdso]") out.loader.push_back(one.range);
    if (one.path.empty() || one.path.front() != '/') continue;
    if (one.path != path) {
      path = one.path;
      module = one.range.start;
    }
    if (!one.is_code) continue;
    if (is_named(one, "ld-linux") || is_named(one, "ld-2") || is_named(one, "ld.so")) {
      out.loader.push_back(one.range);
      continue;
    }
    const std::map<std::string, std::uint64_t> symbols = memory_.symbols(module);
    const auto malloc_at = symbols.find("malloc");
    if (malloc_at == symbols.end() || is_named(one, "libmallard-record") ||
        is_named(one, "libmallard-live")) {
      continue;
    }
    if (!is_named(one, "libc.so.6")) {
      out.other_mallocs.push_back(one.range);
      continue;
    }
    out.libc = one.range;
    const auto place = [&](const char* name) {
      const auto at = symbols.find(name);
      return at == symbols.end() ? 0 : at->second;
    };
    out.dlopen = place("dlopen");
    out.errno_location = place("__errno_location");
    std::vector<std::uint8_t> code(one.range.end - one.range.start);
    if (!memory_.read(one.range.start, code.data(), code.size())) continue;
    constexpr std::uint8_t handler_end[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    const auto end =
        std::search(code.begin(), code.end(), std::begin(handler_end), std::end(handler_end));
    if (end != code.end()) {
      out.handler_end = one.range.start + static_cast<std::uint64_t>(end - code.begin());
    }
  }
  if (out.dlopen != 0 && out.errno_location != 0 && out.handler_end != 0) return out;
  fail_since("has a C library that is too old");
}

// Checks from outside, without stopping the thread.
bool running_process::may_stop(pid_t tid, const places&) const {
  std::ifstream in(folder_of(pid_) + "/task/" + std::to_string(tid) + "/syscall");
  long call = -1;
  std::string first, second;
  if (!(in >> call >> first >> second)) return false;
  const std::uint64_t descriptor = std::strtoull(first.c_str(), nullptr, 16);
  return is_of_waiting(call, std::strtoull(second.c_str(), nullptr, 16)) ||
         is_read_of_stream(pid_, call, descriptor);
}

// Whether a malloc other than the C library's, or a signal handler, has frames on the stack. If the
// unwinding tables do not cover the stack, every word that looks like a return address counts.
bool running_process::has_frames_of(const stopped_thread& at, const places& of,
                                    const std::vector<mapping>& all,
                                    const address_range& stack) const {
  const frame_walk walk = walk_frames(memory_, all, at.registers(), [&](std::uint64_t ip) {
    return ip == of.handler_end || in_any(of.other_mallocs, ip);
  });
  if (walk.met || walk.whole) return walk.met;
  const std::uint64_t start = walk.stack & ~std::uint64_t{7};
  if (start >= stack.end) return false;
  std::vector<std::uint64_t> words((std::min(stack.end, start + stack_searched) - start) /
                                   sizeof(std::uint64_t));
  if (!memory_.read(start, words.data(), words.size() * sizeof(std::uint64_t))) return true;
  return std::any_of(words.begin(), words.end(), [&](std::uint64_t word) {
    if (word == of.handler_end) return true;
    return !of.other_mallocs.empty() && in_any(of.other_mallocs, word) &&
           is_return_address(memory_, word);
  });
}

bool running_process::is_safe(const stopped_thread& at, const places& of,
                              const std::vector<mapping>& all) const {
  if (!at.is_stopped()) return false;
  const auto stack = std::find_if(all.begin(), all.end(),
                                  [&](const mapping& one) { return one.range.has(at.stack()); });
  if (stack == all.end()) return false;
  if (stack->path != "[stack]" && at.stack() - stack->range.start < stack_needed) return false;
  const long call = at.system_call();
  if (call >= 0) {
    const user_regs_struct& with = at.registers();
    if (!is_of_waiting(call, with.rsi) && !is_read_of_stream(pid_, call, with.rdi)) return false;
    return !has_frames_of(at, of, all, stack->range);
  }
  const std::uint64_t ip = at.instruction();
  const auto code =
      std::find_if(all.begin(), all.end(), [&](const mapping& one) { return one.range.has(ip); });
  if (code == all.end() || code->path.empty() || of.libc.has(ip) || in_any(of.loader, ip) ||
      in_any(of.other_mallocs, ip)) {
    return false;
  }
  return !has_frames_of(at, of, all, stack->range);
}

std::unique_ptr<stopped_thread> running_process::stop_somewhere(
    const places& of, const std::vector<mapping>& all) const {
  if (process::state_of(pid_) == 'T') {
    fail("is stopped, as by Ctrl-Z: continue it first with kill -CONT " + std::to_string(pid_));
  }
  const clock::time_point end = clock::now() + longest_search;
  bool waiting_only = true, is_silent = static_cast<bool>(waits_long_);
  do {
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator(folder_of(pid_) + "/task", gone)) {
      const auto tid = static_cast<pid_t>(std::atol(entry.path().filename().c_str()));
      if (waiting_only && !may_stop(tid, of)) continue;
      try {
        auto thread = std::make_unique<stopped_thread>(tid, memory_);
        if (is_safe(*thread, of, all)) return thread;
      } catch (const std::system_error& problem) {
        if (problem.code().value() == ESRCH) continue;
        std::string scope;
        if (problem.code().value() == EPERM) {
          scope = way_round_ptrace_scope(
              std::atoi(file_text("/proc/sys/kernel/yama/ptrace_scope").c_str()));
        }
        fail("may not be attached to: " + (scope.empty() ? problem.code().message() : scope));
      }
    }
    if (!is_there()) fail_since({});
    if (!waiting_only) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    waiting_only = false;
    if (is_silent && clock::now() > end - longest_search + silent_search) {
      is_silent = false;
      waits_long_();
    }
  } while (clock::now() < end);
  fail(
      "was for 10 s at no place where a library can be loaded: all its threads were in a malloc, "
      "the dynamic linker, signal handlers or system calls");
}

void running_process::call(const std::string& library, const char* function,
                           const std::string& text) {
  std::error_code error;
  const std::string file = fs::canonical(library, error).string();
  const places of = find_places(mappings_of(pid_));
  const std::vector<mapping> all = mappings_of(pid_);
  const std::unique_ptr<stopped_thread> thread = stop_somewhere(of, all);
  thread->keep_errno(of.errno_location, of.handler_end);
  if (!has_library(file)) {
    const std::uint64_t path = thread->put(file.c_str(), file.size() + 1);
    if (path == 0 ||
        !thread->call(of.dlopen, path, RTLD_NOW | RTLD_LOCAL, of.handler_end, longest_call)) {
      fail_since("did not load the library within 10 s");
    }
  }
  const std::vector<mapping> with = mappings_of(pid_);
  const auto module =
      std::find_if(with.begin(), with.end(), [&](const mapping& one) { return one.path == file; });
  if (module == with.end()) {
    fail("could not load " + file +
         ": it may lack memory, file descriptors or the right to read it");
  }
  const std::map<std::string, std::uint64_t> symbols = memory_.symbols(module->range.start);
  const auto at = symbols.find(function);
  if (at == symbols.end()) fail("has loaded another version of " + file);
  const std::uint64_t argument = text.empty() ? 0 : thread->put(text.c_str(), text.size() + 1);
  if (!thread->call(at->second, argument, 0, of.handler_end, longest_call)) {
    fail_since("did not return from the recorder within 10 s");
  }
}

}  // namespace mallard::profile
