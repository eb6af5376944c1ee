// Purpose: what the command and the libraries in a program share that say how much of the program's
// time is the heap's. One library samples the program as it is, the other replaces its malloc by an
// ideal one. The memory is one anonymous file of the command.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/session.hpp"

namespace mallard::density {

inline constexpr preload::session_kind session_kind{0x3179'7469'736e'6564U, "mallard-density",
                                                    "MALLARD_DENSITY"};

// Looks at all threads of all processes. One counts once, however long the system took to send its
// signal: where others use the processors, that depends on what the program does.
struct session : preload::session_head {
  std::atomic<std::uint64_t> looks{};
  std::atomic<std::uint64_t> in_heap{};
};

// Says how the ideal malloc serves blocks: `bump`: from fresh memory, and a free does nothing;
// `reuse`: a block that was freed is the next of its size.
inline constexpr const char* ideal_variable = "MALLARD_IDEAL";

}  // namespace mallard::density
