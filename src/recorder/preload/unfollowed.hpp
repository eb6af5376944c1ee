// Purpose: remembers programs that the recorded one starts and that cannot be recorded, so that
// `mallard record` can name them. This may run between fork and exec, also in the memory of a
// parent that waits in vfork. So it takes no lock and no memory, and keeps no descriptor open.
#pragma once

#include "recorder/session.hpp"

namespace mallard::recorder {

class starting_program {
 public:
  // The program at this path; the environment is the one it gets.
  starting_program(const char* path, char* const* environment) noexcept;
  // The program with this name, searched in PATH if it has no slash.
  struct by_name {};
  starting_program(by_name, const char* name, char* const* environment) noexcept;
  // It could not be started.
  void failed() noexcept;

  // For a program that would end if it had to load the recorder: the environment without
  // LD_PRELOAD, in `room` for as many words as `words_without` says. For others 0 words, and the
  // environment unchanged.
  std::size_t words_without(char* const* environment) const noexcept;
  char* const* without_preload(char* const* environment, char** room) const noexcept;

 private:
  void look_at(const char* path, char* const* environment) noexcept;

  unfollowed_program* made_ = nullptr;
  bool must_not_preload_ = false;
};

}  // namespace mallard::recorder
