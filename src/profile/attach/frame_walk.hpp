// Purpose: the frames of a stopped thread of another process, by the tables for unwinding in the
// files of its modules. Its stack has old return addresses, too, of functions that have returned:
// only a walk tells which of them count.
#pragma once

#include <sys/user.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "profile/attach/process_memory.hpp"

namespace mallard::profile {

struct frame_walk {
  bool met = false;         // what was looked for
  bool whole = false;       // the outermost frame was come to
  std::uint64_t stack = 0;  // else: up to here it is known which frames there are
};

// From the innermost frame outwards, until `looked_for` is true of an address in a function, or no
// table speaks of the next.
frame_walk walk_frames(const process_memory& memory, const std::vector<mapping>& modules,
                       const user_regs_struct& registers,
                       const std::function<bool(std::uint64_t)>& looked_for);

}  // namespace mallard::profile
