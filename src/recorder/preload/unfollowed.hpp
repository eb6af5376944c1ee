// Purpose: programs that the recorded one starts and that cannot be recorded are remembered, so
// that `mallard record` can say which. What happens here may happen between fork and exec, also in
// the memory of a parent that waits in vfork: it takes no lock, no memory and no descriptor for
// long.
#pragma once

#include "recorder/session.hpp"

namespace mallard::recorder {

class starting_program {
 public:
  // A program of this path; the environment is what it is given.
  starting_program(const char* path, char* const* environment) noexcept;
  // A program of this name, looked for where the PATH says, if there is no slash in it.
  struct by_name {};
  starting_program(by_name, const char* name, char* const* environment) noexcept;
  // It could not be started.
  void failed() noexcept;

  // For a program that would end if it had to load the recorder: the environment less LD_PRELOAD,
  // in `room` for as many words as `words_without` says. For others 0, and the same environment.
  std::size_t words_without(char* const* environment) const noexcept;
  char* const* without_preload(char* const* environment, char** room) const noexcept;

 private:
  void look_at(const char* path, char* const* environment) noexcept;

  unfollowed_program* made_ = nullptr;
  bool must_not_preload_ = false;
};

}  // namespace mallard::recorder
