// Purpose: the frames of a stopped thread of another process, by the unwinding tables in its
// modules' files. A stack also holds stale return addresses of functions that have returned; only a
// walk tells them apart.
#pragma once

#include <sys/user.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "profile/attach/process_memory.hpp"

namespace mallard::profile {

struct frame_walk {
  bool met = false;         // the address searched for
  bool whole = false;       // the walk reached the outermost frame
  std::uint64_t stack = 0;  // otherwise: the frames below this address are known
};

// Walks from the innermost frame outwards until `looked_for` is true of an address, or no table
// covers the next frame.
frame_walk walk_frames(const process_memory& memory, const std::vector<mapping>& modules,
                       const user_regs_struct& registers,
                       const std::function<bool(std::uint64_t)>& looked_for);

}  // namespace mallard::profile
