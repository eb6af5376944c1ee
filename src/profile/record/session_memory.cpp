#include "profile/record/session_memory.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>
#include "process/process.hpp"

namespace mallard::profile {
namespace {

namespace fs = std::filesystem;
using recorder::session;
using recorder::thread_slot;

// Calls see(path, inode) for each descriptor of this process that is a session's memory, until
// `see` returns true. Only the recording process has such descriptors.
template <class See>
bool see_sessions(const fs::path& process, See see) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(process / "fd", ignored)) {
    const std::string target = fs::read_symlink(entry.path(), ignored).string();
    struct stat about{};
    if (preload::is_session_file(target.c_str(), recorder::session_kind) &&
        stat(entry.path().c_str(), &about) == 0 && see(entry.path().string(), about.st_ino)) {
      return true;
    }
  }
  return false;
}

// Inodes of the sessions that a process maps, whether it was started recorded or attached to.
std::set<std::uint64_t> sessions_mapped(int pid) {
  std::set<std::uint64_t> out;
  std::ifstream in("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string range, rights, offset, device, path;
    std::uint64_t inode = 0;
    words >> range >> rights >> offset >> device >> inode >> path;
    if (preload::is_session_file(path.c_str(), recorder::session_kind)) out.insert(inode);
  }
  return out;
}

// The path of the memory by which the process records or is recorded; empty: neither.
std::string path_of_session(int pid) {
  std::string out;
  const std::set<std::uint64_t> mapped = sessions_mapped(pid);
  const auto any = [&](std::string path, std::uint64_t) {
    out = std::move(path);
    return true;
  };
  const auto of_it = [&](std::string path, std::uint64_t inode) {
    out = std::move(path);
    return mapped.contains(inode);
  };
  if (see_sessions("/proc/" + std::to_string(pid), any) || mapped.empty()) return out;
  for (const pid_t one : process::all_processes()) {
    if (see_sessions("/proc/" + std::to_string(one), of_it)) return out;
  }
  return {};
}

}  // namespace

std::string path_of_recorded(int pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  const std::string name = std::string(recorder::session_kind.variable) + "=";
  for (std::string one; std::getline(in, one, '\0');) {
    if (one.starts_with(name)) return one.substr(name.size());
  }
  return {};
}

session_memory::session_memory() {
  const preload::session_file made =
      preload::make_session(recorder::session_kind, recorder::session_bytes);
  if (made.memory == nullptr) process::fail_to_share(recorder::session_bytes);
  file_ = made.file;
  session_ = new (made.memory) session;
  preload::publish(*session_, recorder::session_kind, recorder::session_bytes);
  session_->reader_pid = static_cast<std::uint32_t>(getpid());
  session_->reader_user = geteuid();
  struct stat found{};
  if (stat("/proc/self/ns/pid", &found) == 0) session_->pid_namespace = found.st_ino;
}

session_memory::~session_memory() {
  munmap(session_, recorder::session_bytes);
  close(file_);
}

recorder::process_slot& session_memory::process(std::uint32_t i) const {
  return processes_of(*session_)[i];
}

recorder::thread_slot& session_memory::thread(std::uint32_t i) const {
  return threads_of(*session_)[i];
}

std::string session_memory::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
}

std::uint32_t session_memory::processes_told() const {
  const std::vector<pid_t> all = process::all_processes();
  return static_cast<std::uint32_t>(std::count_if(
      all.begin(), all.end(), [&](pid_t one) { return path_of_recorded(one) == path(); }));
}

bool session_memory::has_process(std::uint32_t pid) const {
  for (std::uint32_t i = 0; i < session_->processes_used.load(std::memory_order_acquire); ++i) {
    if (process(i).pid == pid &&
        process(i).state.load(std::memory_order_acquire) == recorder::slot_state::in_use) {
      return true;
    }
  }
  return false;
}

void session_memory::give_back() const {
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(recorder::threads_offset),
            static_cast<off_t>(recorder::session_bytes - recorder::threads_offset));
}

void session_memory::recycle_thread(std::uint32_t i) const {
  const auto start = recorder::threads_offset + sizeof(thread_slot) * i;
  if (fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(start),
                sizeof(thread_slot)) != 0) {
    std::memset(static_cast<void*>(&thread(i)), 0, sizeof(thread_slot));
  }
  session_->threads[i].store(recorder::slot_state::free, std::memory_order_release);
}

void set_recording(int pid, recorder::recording mode) {
  const std::string who = "process " + std::to_string(pid);
  std::error_code ignored;
  if (!fs::exists("/proc/" + std::to_string(pid), ignored)) {
    throw std::runtime_error(who + " does not exist");
  }
  const std::string path = path_of_session(pid);
  if (path.empty()) throw std::runtime_error(who + " is not being recorded");
  if (access(path.c_str(), R_OK | W_OK) != 0) {
    throw std::runtime_error(who + " is recorded by a process that cannot be reached");
  }
  auto* const all = static_cast<session*>(
      preload::map_session(path.c_str(), recorder::session_kind, recorder::session_bytes));
  if (all == nullptr) {
    throw std::runtime_error(who + " is recorded by another version of mallard");
  }
  all->mode.store(static_cast<std::uint32_t>(mode));
  munmap(all, recorder::session_bytes);
}

bool is_attached_to(int pid) {
  if (sessions_mapped(pid).empty() || !path_of_recorded(pid).empty()) return false;
  const auto any = [](const std::string&, std::uint64_t) { return true; };
  const bool records = see_sessions("/proc/" + std::to_string(pid), any);
  return !records && !path_of_session(pid).empty();
}

}  // namespace mallard::profile
