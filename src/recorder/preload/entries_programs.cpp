// Hooks on the calls that start programs, to find out which of them cannot be recorded.
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

#include "preload/caller.hpp"
#include "recorder/preload/unfollowed.hpp"

using mallard::recorder::starting_program;

namespace {

// Looked up before the program runs, because in the child of a fork the dynamic linker may be
// locked for ever.
struct next_starts {
  int (*execve)(const char*, char* const*, char* const*);
  int (*execvpe)(const char*, char* const*, char* const*);
  int (*fexecve)(int, char* const*, char* const*);
  int (*posix_spawn)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                     const posix_spawnattr_t*, char* const*, char* const*);
  int (*posix_spawnp)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                      const posix_spawnattr_t*, char* const*, char* const*);
};
constinit next_starts next{};

template <class F>
void find(F*& function, const char* name) noexcept {
  function = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

[[gnu::constructor]] void find_next_starts() noexcept {
  if (next.posix_spawnp != nullptr) return;
  find(next.execve, "execve");
  find(next.execvpe, "execvpe");
  find(next.fexecve, "fexecve");
  find(next.posix_spawn, "posix_spawn");
  find(next.posix_spawnp, "posix_spawnp");
}

// Collects the words of execl and the like, the first of which is `first`; only counts them if
// `words` is null. Returns: their number, with the final null.
std::size_t take_words(const char* first, va_list& rest, char** words) noexcept {
  std::size_t count = 0;
  for (const char* one = first;; one = va_arg(rest, const char*)) {
    if (words != nullptr) words[count] = const_cast<char*>(one);
    ++count;
    if (one == nullptr) return count;
  }
}

// The environment for `program`, made of `variables`. It is on the caller's stack.
#define MALLARD_TAKE_VARIABLES(program, variables)                                       \
  const std::size_t kept = program.words_without(variables);                             \
  char** const room =                                                                    \
      kept == 0 ? nullptr : static_cast<char**>(__builtin_alloca(kept * sizeof(char*))); \
  variables = program.without_preload(variables, room)

// The entry points call these and not each other: in a process that we attached to, the linker
// would take the C library's.
int start(const char* path, char* const words[], char* const* variables) noexcept {
  find_next_starts();
  starting_program program(path, variables);
  MALLARD_TAKE_VARIABLES(program, variables);
  const int result = next.execve(path, words, variables);
  program.failed();
  return result;
}

int start_by_name(const char* name, char* const words[], char* const* variables) noexcept {
  find_next_starts();
  starting_program program(starting_program::by_name{}, name, variables);
  MALLARD_TAKE_VARIABLES(program, variables);
  const int result = next.execvpe(name, words, variables);
  program.failed();
  return result;
}

}  // namespace

MALLARD_ENTRY int execve(const char* path, char* const words[], char* const* variables) noexcept {
  return start(path, words, variables);
}

MALLARD_ENTRY int execv(const char* path, char* const words[]) noexcept {
  return start(path, words, environ);
}

MALLARD_ENTRY int execvpe(const char* name, char* const words[], char* const* variables) noexcept {
  return start_by_name(name, words, variables);
}

MALLARD_ENTRY int execvp(const char* name, char* const words[]) noexcept {
  return start_by_name(name, words, environ);
}

MALLARD_ENTRY int fexecve(int file, char* const words[], char* const* variables) noexcept {
  find_next_starts();
  char link[32], path[4096];
  const int before = errno;
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  errno = before;
  path[length < 0 ? 0 : length] = '\0';
  starting_program program(path, variables);
  MALLARD_TAKE_VARIABLES(program, variables);
  const int result = next.fexecve(file, words, variables);
  program.failed();
  return result;
}

// Effects: `words` are the arguments from `first` on. They are on the caller's stack.
#define MALLARD_TAKE_WORDS(words, first)                                             \
  va_list rest;                                                                      \
  va_start(rest, first);                                                             \
  const std::size_t count = take_words(first, rest, nullptr);                        \
  va_end(rest);                                                                      \
  char** const words = static_cast<char**>(__builtin_alloca(count * sizeof(char*))); \
  va_start(rest, first);                                                             \
  take_words(first, rest, words)

MALLARD_ENTRY int execl(const char* path, const char* word, ...) noexcept {
  MALLARD_TAKE_WORDS(words, word);
  va_end(rest);
  return start(path, words, environ);
}

MALLARD_ENTRY int execlp(const char* name, const char* word, ...) noexcept {
  MALLARD_TAKE_WORDS(words, word);
  va_end(rest);
  return start_by_name(name, words, environ);
}

MALLARD_ENTRY int execle(const char* path, const char* word, ...) noexcept {
  MALLARD_TAKE_WORDS(words, word);
  char* const* const variables = va_arg(rest, char* const*);
  va_end(rest);
  return start(path, words, variables);
}

MALLARD_ENTRY int posix_spawn(pid_t* pid, const char* path,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const words[],
                              char* const* variables) {
  find_next_starts();
  starting_program program(path, variables);
  MALLARD_TAKE_VARIABLES(program, variables);
  const int result = next.posix_spawn(pid, path, actions, attributes, words, variables);
  if (result != 0) program.failed();
  return result;
}

MALLARD_ENTRY int posix_spawnp(pid_t* pid, const char* name,
                               const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const words[],
                               char* const* variables) {
  find_next_starts();
  starting_program program(starting_program::by_name{}, name, variables);
  MALLARD_TAKE_VARIABLES(program, variables);
  const int result = next.posix_spawnp(pid, name, actions, attributes, words, variables);
  if (result != 0) program.failed();
  return result;
}
