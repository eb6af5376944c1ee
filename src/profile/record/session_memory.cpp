#include "profile/record/session_memory.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace mallard::profile {
namespace {

namespace fs = std::filesystem;
using recorder::session;
using recorder::thread_slot;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

session* map(int file) {
  void* const memory = mmap(nullptr, recorder::session_bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_NORESERVE, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<session*>(memory);
}

// Path in the recording process: one of its descriptors is the memory.
std::string path_of_reader(int pid) {
  std::error_code ignored;
  for (const auto& entry :
       fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd", ignored)) {
    const std::string target = fs::read_symlink(entry.path(), ignored).string();
    constexpr std::string_view kind = "/memfd:";
    if (target.starts_with(kind) &&
        std::string_view(target).substr(kind.size()).starts_with(recorder::session_file_name)) {
      return entry.path().string();
    }
  }
  return {};
}

// Path in a recorded process: its environment says where the memory is.
std::string path_of_recorded(int pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  const std::string name = std::string(recorder::session_variable) + "=";
  for (std::string one; std::getline(in, one, '\0');) {
    if (one.starts_with(name)) return one.substr(name.size());
  }
  return {};
}

// A limit on the size of files must give an error, not a signal.
bool resize(int file, std::size_t bytes) {
  struct sigaction ignored{};
  struct sigaction before{};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignored, &before);
  const bool done = ftruncate(file, static_cast<off_t>(bytes)) == 0;
  const int error = errno;
  sigaction(SIGXFSZ, &before, nullptr);
  errno = error;
  return done;
}

}  // namespace

session_memory::session_memory() {
  file_ = memfd_create(recorder::session_file_name, MFD_CLOEXEC);
  if (file_ < 0) fail("no memory to share with the program");
  if (!resize(file_, recorder::session_bytes)) {
    fail("no memory to share with the program");
  }
  session* const memory = map(file_);
  if (memory == nullptr) fail("no address space to share with the program");
  session_ = new (memory) session;
  session_->magic = recorder::session_magic;
  session_->bytes = recorder::session_bytes;
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
  std::uint32_t out = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && path_of_recorded(pid) == path()) ++out;
  }
  return out;
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
  std::string path = path_of_reader(pid);
  if (path.empty()) path = path_of_recorded(pid);
  if (path.empty()) throw std::runtime_error(who + " is not being recorded");
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) throw std::runtime_error(who + " is recorded by a process that cannot be reached");
  struct stat found{};
  session* all = nullptr;
  if (fstat(file, &found) == 0 && found.st_size == static_cast<off_t>(recorder::session_bytes)) {
    all = map(file);
  }
  close(file);
  if (all == nullptr || all->magic != recorder::session_magic) {
    throw std::runtime_error(who + " is recorded by another version of mallard");
  }
  all->mode.store(static_cast<std::uint32_t>(mode));
  munmap(all, recorder::session_bytes);
}

}  // namespace mallard::profile
