// Purpose: the memory shared by the tool and an agent, a library of ours in another program. The
// recorder, the router and the counter are such agents.
//
// The memory is an anonymous file, which either side can make. `mallard record` and `whatif` make
// theirs; the agent maps it by a path from the environment, or from the call that attaches the
// agent to a running program. A counted program makes its own, and `mallard live` finds it in /proc
// by the file's name. The first words contain the agent's kind and the size: memory of another
// version is not mapped.
//
// No function here allocates or throws, because they run inside any program.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace mallard::preload {

struct session_kind {
  std::uint64_t magic;
  const char* file_name;
  const char* variable;  // environment variable with the path; null: the agent makes the memory
};

// The beginning of every session.
struct session_head {
  std::atomic<std::uint64_t> magic{};  // written last
  std::uint64_t bytes = 0;             // of the whole memory
  // Changes when a process with an attached agent has loaded modules.
  std::atomic<std::uint32_t> module_changes{};
};

struct session_file {
  void* memory = nullptr;
  int file = -1;
};

inline void* map_file(int file, std::size_t bytes) noexcept {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, bytes, MADV_DONTDUMP);
  return memory;
}

// Whether a process whose address space is limited keeps half of it where an agent takes so much.
inline bool has_room(std::size_t bytes) noexcept {
  rlimit room;
  return getrlimit(RLIMIT_AS, &room) != 0 || room.rlim_cur == RLIM_INFINITY ||
         room.rlim_cur / 2 >= bytes;
}

// Makes zeroed memory that is not published yet. Without memory, errno has the reason.
inline session_file make_session(const session_kind& kind, std::size_t bytes) noexcept {
  session_file out;
  out.file = memfd_create(kind.file_name, MFD_CLOEXEC);
  if (out.file < 0) return out;
  if (ftruncate(out.file, static_cast<off_t>(bytes)) == 0) out.memory = map_file(out.file, bytes);
  if (out.memory != nullptr) return out;
  const int error = errno;
  close(out.file);
  errno = error;
  return {};
}

// From now on the other side can use it.
inline void publish(session_head& head, const session_kind& kind, std::size_t bytes) noexcept {
  head.bytes = bytes;
  head.magic.store(kind.magic, std::memory_order_release);
}

// Returns: null if there is no memory of this kind and size.
inline void* map_session(const char* path, const session_kind& kind, std::size_t bytes) noexcept {
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat found{};
  void* memory = nullptr;
  if (fstat(file, &found) == 0 && found.st_size == static_cast<off_t>(bytes)) {
    memory = map_file(file, bytes);
  }
  close(file);
  if (memory == nullptr) return nullptr;
  const auto& head = *static_cast<const session_head*>(memory);
  if (head.magic.load(std::memory_order_acquire) == kind.magic && head.bytes == bytes) {
    return memory;
  }
  munmap(memory, bytes);
  return nullptr;
}

// Whether the process on the other side has ended, even if nobody has waited for it yet. Its first
// thread is its last one: process::has_ended knows others, but allocates. Keeps errno.
inline bool has_ended(pid_t pid) noexcept {
  const int before = errno;
  bool ended = kill(pid, 0) != 0 && errno == ESRCH;
  char text[128];  // "PID (NAME) STATE ..."
  std::snprintf(text, sizeof text, "/proc/%d/stat", static_cast<int>(pid));
  if (const int file = open(text, O_RDONLY | O_CLOEXEC); file >= 0) {
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char* const name_end = std::strrchr(text, ')');
    ended = ended || (name_end != nullptr && (name_end[2] == 'Z' || name_end[2] == 'X'));
  }
  errno = before;
  return ended;
}

// Whether this is the target of a link in /proc/PID/fd to such a file.
inline bool is_session_file(const char* link_target, const session_kind& kind) noexcept {
  constexpr char folder[] = "/memfd:";
  const std::size_t length = std::strlen(kind.file_name);
  if (std::strncmp(link_target, folder, sizeof folder - 1) != 0) return false;
  const char* const name = link_target + sizeof folder - 1;
  return std::strncmp(name, kind.file_name, length) == 0 &&
         (name[length] == '\0' || name[length] == ' ');
}

// Whether an agent works in this process. The first thread that asks finds out; other threads go on
// without the agent meanwhile.
class session_gate {
 public:
  enum class phase : std::uint32_t { unknown, opening, open, closed };

  phase get() const noexcept { return state_.load(std::memory_order_acquire); }
  bool is_open() const noexcept { return get() == phase::open; }
  bool is_closed() const noexcept {
    return state_.load(std::memory_order_relaxed) == phase::closed;
  }
  void close() noexcept { state_.store(phase::closed); }

  // Returns: true for the one thread that must open it, and then report the result by end().
  bool begin(phase from) noexcept {
    return state_.load(std::memory_order_acquire) == from &&
           state_.compare_exchange_strong(from, phase::opening);
  }
  bool end(bool opened) noexcept {
    state_.store(opened ? phase::open : phase::closed, std::memory_order_release);
    return opened;
  }

  // Effects: calls open_it() at the first call; keeps errno. Returns: whether it is open.
  template <class Open>
  bool open_once(Open open_it) noexcept {
    if (!begin(phase::unknown)) return is_open();
    const int before = errno;
    const bool opened = open_it();
    errno = before;
    return end(opened);
  }

 private:
  std::atomic<phase> state_{phase::unknown};
};

}  // namespace mallard::preload
