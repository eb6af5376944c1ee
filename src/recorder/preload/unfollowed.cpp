#include "recorder/preload/unfollowed.hpp"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/preload/process.hpp"

namespace mallard::recorder {
namespace {

// The path after "#!" if it fits in `room`; otherwise empty.
void read_interpreter(const char* line, char* to, std::size_t room) noexcept {
  while (*line == ' ' || *line == '\t') ++line;
  const std::size_t length = strcspn(line, " \t\r\n");
  to[0] = '\0';
  if (length >= room) return;
  memcpy(to, line, length);
  to[length] = '\0';
}

template <class T>
bool read_at(int file, std::uint64_t at, T& out) noexcept {
  return pread(file, &out, sizeof out, static_cast<off_t>(at)) == static_cast<ssize_t>(sizeof out);
}

// Finds the next part of this type, from `from` on.
bool find_part(int file, const Elf64_Ehdr& header, unsigned& from, unsigned type,
               Elf64_Phdr& out) noexcept {
  for (; from < header.e_phnum && from < 256; ++from) {
    if (!read_at(file, header.e_phoff + from * sizeof out, out)) return false;
    if (out.p_type == type) return true;
  }
  return false;
}

// The file offset of this address; 0 if it is not loaded.
std::uint64_t offset_of(int file, const Elf64_Ehdr& header, std::uint64_t address) noexcept {
  Elf64_Phdr part;
  for (unsigned i = 0; find_part(file, header, i, PT_LOAD, part); ++i) {
    if (address - part.p_vaddr < part.p_filesz) return address - part.p_vaddr + part.p_offset;
  }
  return 0;
}

// Whether one of the sanitizers' names occurs in these bytes of the file.
bool has_sanitizer_name(int file, std::uint64_t at, std::uint64_t bytes) noexcept {
  constexpr std::size_t longest_name = 16;
  char room[8192];
  std::size_t kept = 0;  // the end of the previous piece, in which a name may begin
  while (bytes > 0) {
    const std::size_t wanted = bytes < sizeof room - kept ? bytes : sizeof room - kept;
    const ssize_t got = pread(file, room + kept, wanted, static_cast<off_t>(at));
    if (got <= 0) return false;
    const std::size_t there = kept + static_cast<std::size_t>(got);
    for (const sanitizer_name& one : sanitizer_names) {
      if (memmem(room, there, one.name, strlen(one.name)) != nullptr) return true;
    }
    kept = there < longest_name ? there : longest_name;
    memmove(room, room + there - kept, kept);
    at += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::uint64_t>(got);
  }
  return false;
}

bool is_sanitized(int file, const Elf64_Ehdr& header) noexcept {
  Elf64_Phdr dynamic;
  unsigned at = 0;
  if (!find_part(file, header, at, PT_DYNAMIC, dynamic)) return false;
  std::uint64_t names = 0;
  std::uint64_t bytes = 0;
  Elf64_Dyn entry;
  for (std::uint64_t i = 0; i + sizeof entry <= dynamic.p_filesz; i += sizeof entry) {
    if (!read_at(file, dynamic.p_offset + i, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) names = offset_of(file, header, entry.d_un.d_ptr);
    if (entry.d_tag == DT_STRSZ) bytes = entry.d_un.d_val;
  }
  return names != 0 && has_sanitizer_name(file, names, bytes);
}

// The obstacle that a program's dynamic linker indicates.
unfollowed linker_obstacle(int file, const Elf64_Ehdr& header, const char* path) noexcept {
  Elf64_Phdr part;
  unsigned i = 0;
  if (find_part(file, header, i, PT_INTERP, part)) {
    char linker[256] = {};
    const std::size_t bytes = part.p_filesz < sizeof linker ? part.p_filesz : sizeof linker - 1;
    if (pread(file, linker, bytes, static_cast<off_t>(part.p_offset)) < 0) linker[0] = '\0';
    if (is_of_musl(linker)) return unfollowed::other_libc;
    return is_sanitized(file, header) ? unfollowed::sanitized : unfollowed::none;
  }
  return is_dynamic_linker(path) ? unfollowed::none : unfollowed::static_program;
}

// Sets `script` to the interpreter of a script, otherwise to "".
unfollowed obstacle_in(const char* path, char* script, std::size_t room) noexcept {
  script[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return unfollowed::none;
  struct stat about;
  alignas(Elf64_Ehdr) char start[256] = {};
  const bool readable = fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
                        pread(file, start, sizeof start - 1, 0) >= 4;
  unfollowed out = unfollowed::none;
  if (!readable) {
    // It could not be started.
  } else if (start[0] == '#' && start[1] == '!') {
    read_interpreter(start + 2, script, room);
  } else if (memcmp(start, ELFMAG, SELFMAG) == 0) {
    Elf64_Ehdr header;
    memcpy(&header, start, sizeof header);
    const bool of_others = (about.st_mode & S_ISUID && about.st_uid != geteuid()) ||
                           (about.st_mode & S_ISGID && about.st_gid != getegid());
    if (of_others) {
      out = unfollowed::privileged;
    } else if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != own_machine) {
      out = unfollowed::other_machine;
    } else {
      out = linker_obstacle(file, header, path);
    }
  }
  close(file);
  return out;
}

const char* value_in(char* const* environment, const char* name) noexcept {
  const std::size_t length = strlen(name);
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
      return *environment + length + 1;
    }
  }
  return nullptr;
}

// Someone who set the variable anew, to preload another malloc, may have dropped us.
bool preloads_recorder(char* const* environment) noexcept {
  const char* const libraries = value_in(environment, "LD_PRELOAD");
  return libraries != nullptr && strstr(libraries, "libmallard-record") != nullptr;
}

// Starting the program may end the rights by which this process reaches the reader.
bool becomes_another_user(const session& all) noexcept {
  return geteuid() != 0 && geteuid() != all.reader_user;
}

// Returns: null if it is remembered already, or if there is no room.
unfollowed_program* remember(session& all, const char* path, unfollowed why) noexcept {
  constexpr std::size_t room = sizeof all.unfollowed_programs[0].path;
  for (unfollowed_program& one : all.unfollowed_programs) {
    if (one.state.load(std::memory_order_acquire) == slot_state::in_use && one.why == why &&
        strncmp(one.path, path, room - 1) == 0) {
      return nullptr;
    }
  }
  for (unfollowed_program& one : all.unfollowed_programs) {
    slot_state expected = slot_state::free;
    if (!one.state.compare_exchange_strong(expected, slot_state::taken)) continue;
    one.why = why;
    strncpy(one.path, path, room - 1);
    one.state.store(slot_state::in_use, std::memory_order_release);
    return &one;
  }
  all.more_unfollowed.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

}  // namespace

void starting_program::look_at(const char* path, char* const* environment) noexcept {
  session& all = *process.all;
  if (path == nullptr || all.bytes == 0 || !all.options.follow) return;
  char interpreter[256];
  unfollowed why = obstacle_in(path, interpreter, sizeof interpreter);
  if (interpreter[0] != '\0') {
    char nobody[2];
    why = obstacle_in(interpreter, nobody, sizeof nobody);
  }
  if (why == unfollowed::none && access(path, X_OK) == 0) {
    const char* const file = value_in(environment, session_kind.variable);
    if (file == nullptr || !preloads_recorder(environment)) {
      why = unfollowed::environment;
    } else if (becomes_another_user(all) ||
               faccessat(AT_FDCWD, file, R_OK | W_OK, AT_EACCESS) != 0) {
      why = unfollowed::unreachable;
    }
  }
  rlimit room;
  if (why == unfollowed::none && getrlimit(RLIMIT_AS, &room) == 0 &&
      room.rlim_cur != RLIM_INFINITY && room.rlim_cur < session_bytes) {
    why = unfollowed::address_space;
  }
  must_not_preload_ = why == unfollowed::other_libc || why == unfollowed::sanitized ||
                      why == unfollowed::other_machine;
  if (why != unfollowed::none) made_ = remember(all, path, why);
}

std::size_t starting_program::words_without(char* const* environment) const noexcept {
  if (!must_not_preload_ || environment == nullptr) return 0;
  std::size_t count = 1;
  while (environment[count - 1] != nullptr) ++count;
  return count;
}

char* const* starting_program::without_preload(char* const* environment,
                                               char** room) const noexcept {
  if (room == nullptr) return environment;
  char** to = room;
  for (; *environment != nullptr; ++environment) {
    if (strncmp(*environment, "LD_PRELOAD=", 11) != 0) *to++ = *environment;
  }
  *to = nullptr;
  return room;
}

starting_program::starting_program(const char* path, char* const* environment) noexcept {
  const int before = errno;
  look_at(path, environment);
  errno = before;
}

starting_program::starting_program(by_name, const char* name, char* const* environment) noexcept {
  const int before = errno;
  if (name != nullptr && strchr(name, '/') != nullptr) {
    look_at(name, environment);
  } else if (name != nullptr && *name != '\0') {
    const char* folders = getenv("PATH");
    if (folders == nullptr) folders = "/bin:/usr/bin";
    const std::size_t name_bytes = strlen(name) + 1;
    for (bool more = true; more;) {
      const std::size_t length = strcspn(folders, ":");
      char path[PATH_MAX];
      if (length + 1 + name_bytes <= sizeof path) {
        memcpy(path, folders, length);
        path[length] = '/';
        memcpy(path + length + 1, name, name_bytes);
        const char* const file = length == 0 ? name : path;
        struct stat about;
        if (access(file, X_OK) == 0 && stat(file, &about) == 0 && S_ISREG(about.st_mode)) {
          look_at(file, environment);
          break;
        }
      }
      more = folders[length] == ':';
      folders += length + 1;
    }
  }
  errno = before;
}

void starting_program::failed() noexcept {
  if (made_ != nullptr) made_->state.store(slot_state::free, std::memory_order_release);
  made_ = nullptr;
}

}  // namespace mallard::recorder
