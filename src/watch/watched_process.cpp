#include "watch/watched_process.hpp"

#include <errno.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "live/session.hpp"
#include "process/process.hpp"

namespace mallard::watch {
namespace {

namespace fs = std::filesystem;

using process::file_text;

std::string command_of(pid_t pid) {
  std::string words = file_text(fmt::format("/proc/{}/cmdline", pid));
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words;
}

bool is_of_a_session(const fs::path& descriptor) {
  std::error_code gone;
  const std::string target = fs::read_symlink(descriptor, gone).string();
  return preload::is_session_file(target.c_str(), live::session_kind);
}

// Returns: empty for a process that does not count.
std::string find_session(pid_t pid) {
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  std::error_code error;
  fs::directory_iterator all(folder, error);
  if (error == std::errc::no_such_file_or_directory) {
    throw std::runtime_error(fmt::format("there is no process {}", pid));
  }
  if (error) {
    throw std::runtime_error(
        fmt::format("process {} cannot be inspected: {}", pid, error.message()));
  }
  for (const auto& one : all) {
    if (is_of_a_session(one.path())) return one.path().string();
  }
  return {};
}

live::session* map_session(pid_t pid, const std::string& file) {
  if (file.empty()) throw std::runtime_error(fmt::format("process {} does not count", pid));
  if (access(file.c_str(), R_OK | W_OK) != 0) {
    throw std::runtime_error(fmt::format("process {} cannot be inspected: {}", pid,
                                         std::generic_category().message(errno)));
  }
  void* const memory =
      preload::map_session(file.c_str(), live::session_kind, sizeof(live::session));
  if (memory == nullptr) {
    throw std::runtime_error(
        fmt::format("process {} counts with another version of the library", pid));
  }
  return static_cast<live::session*>(memory);
}

// The process that attached the counters; 0 if it is gone; nothing if they were not attached.
std::optional<pid_t> attached_by(pid_t pid) {
  const std::string file = find_session(pid);
  if (file.empty()) return {};
  live::session* const all = map_session(pid, file);
  const bool attached = all->attached.load() == live::attachment::on;
  const auto watcher = static_cast<pid_t>(all->watcher.load());
  munmap(all, sizeof(live::session));
  if (!attached) return {};
  const bool is_gone = watcher != 0 && process::has_ended(watcher);
  return is_gone ? 0 : watcher == 0 ? getpid() : watcher;
}

std::uint64_t resident_bytes_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/statm", pid));
  std::uint64_t size = 0, resident = 0;
  in >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

counts counts_of(const live::thread_counts& of) {
  return {of.allocations.load(std::memory_order_relaxed), of.bytes.load(std::memory_order_relaxed),
          of.frees.load(std::memory_order_relaxed)};
}

void add(counts& to, const counts& what) {
  to.allocations += what.allocations;
  to.bytes += what.bytes;
  to.frees += what.frees;
}

double seconds_since(std::uint64_t ns) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
         1e-9 * static_cast<double>(ns);
}

}  // namespace

watched_process::watched_process(pid_t pid)
    : pid_(pid),
      command_(command_of(pid)),
      file_(find_session(pid)),
      all_(map_session(pid, file_)) {}

watched_process::~watched_process() {
  munmap(all_, sizeof(live::session));
}

bool watched_process::is_counting(pid_t pid) {
  const std::string file = find_session(pid);
  if (file.empty()) return false;
  live::session* const all = map_session(pid, file);
  const bool out = all->attached.load() != live::attachment::over;
  munmap(all, sizeof(live::session));
  return out;
}

bool watched_process::is_left_behind(pid_t pid) {
  return attached_by(pid).value_or(getpid()) == 0;
}

void watched_process::refuse_attached(pid_t pid) {
  std::optional<pid_t> watcher;
  try {
    watcher = attached_by(pid);
  } catch (const std::runtime_error&) {
    return;  // its counters, if any, do not concern us
  }
  if (!watcher) return;
  if (*watcher != 0) {
    throw std::runtime_error(
        fmt::format("process {} is watched by `mallard live`: its calls go there", pid));
  }
  throw std::runtime_error(
      fmt::format("process {0} still counts for a `mallard live` that was killed: `mallard live "
                  "{0} --duration 1` releases it",
                  pid));
}

void watched_process::refuse_little_room() {
  if (preload::has_room(live::agent_bytes)) return;
  throw std::runtime_error("the program has too little address space to be watched" +
                           process::limit_note(live::agent_bytes) +
                           ", of which half is the program's");
}

void watched_process::is_watched_by(pid_t watcher) {
  all_->watcher.store(static_cast<std::uint32_t>(watcher));
}

void watched_process::look_for_modules() {
  all_->module_changes.fetch_add(1, std::memory_order_release);
}

bool watched_process::is_there() const {
  // A zombie has no memory, and a process that executed another program counts elsewhere.
  return resident_bytes_of(pid_) != 0 && is_of_a_session(file_);
}

reading watched_process::read() const {
  reading out;
  out.resident_bytes = resident_bytes_of(pid_);
  out.when = std::chrono::steady_clock::now();
  out.seconds = seconds_since(all_->started);
  out.not_kept = all_->not_kept.load(std::memory_order_relaxed);
  add(out.all, counts_of(all_->ended));
  add(out.all, counts_of(all_->others));
  const std::size_t threads =
      std::min<std::size_t>(all_->thread_count.load(std::memory_order_acquire), live::most_threads);
  for (std::size_t i = 0; i < threads; ++i) {
    const live::thread_counts& slot = all_->threads[i];
    const counts of = counts_of(slot);
    add(out.all, of);
    const std::uint32_t tid = slot.tid.load(std::memory_order_relaxed);
    if (tid == 0) continue;
    std::string name = file_text(fmt::format("/proc/{}/task/{}/comm", pid_, tid));
    if (!name.empty() && name.back() == '\n') name.pop_back();
    out.threads.push_back({tid, std::move(name), of});
  }
  const std::uint32_t sites =
      std::min(all_->site_count.load(std::memory_order_acquire), live::most_sites);
  out.sites.reserve(sites);
  for (std::uint32_t i = 0; i < sites; ++i) {
    const live::site& one = all_->sites[i];
    // Frees must be read first, so that the difference is never more than was live.
    const auto freed_blocks = static_cast<double>(one.freed_blocks.load(std::memory_order_acquire));
    const auto freed_bytes = static_cast<double>(one.freed_bytes.load(std::memory_order_acquire));
    const auto blocks = static_cast<double>(one.allocations.load(std::memory_order_relaxed));
    const auto bytes = static_cast<double>(one.bytes.load(std::memory_order_relaxed));
    constexpr double unit = live::blocks_unit;
    out.sites.push_back({one.address.load(std::memory_order_relaxed), one.parent, blocks / unit,
                         bytes, std::max(0.0, blocks - freed_blocks) / unit,
                         std::max(0.0, bytes - freed_bytes)});
  }
  return out;
}

std::vector<std::string> watched_process::module_paths() const {
  std::vector<std::string> out;
  const std::uint32_t count = all_->module_count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) out.emplace_back(all_->modules[i].text);
  return out;
}

}  // namespace mallard::watch
