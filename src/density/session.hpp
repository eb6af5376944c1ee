// Purpose: the memory shared by the command and two libraries that find the heap's share of a
// program's time. One library samples the unchanged program, the other replaces its malloc by an
// ideal one. The memory is one anonymous file of the command.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/cpu_timer.hpp"
#include "preload/session.hpp"

namespace mallard::density {

inline constexpr preload::session_kind session_kind{0x3179'7469'736e'6564U, "mallard-density",
                                                    "MALLARD_DENSITY"};

inline constexpr int samples_signal = preload::cpu_signal;

// Samples of all threads of all processes. A sample counts once, however late the system sent its
// signal: that delay depends on other programs on the processors.
struct session : preload::session_head {
  std::atomic<std::uint64_t> looks{};
  std::atomic<std::uint64_t> in_heap{};
};

// Selects the ideal malloc. `bump`: fresh memory only, and a free does nothing; `reuse`: a freed
// block serves the next request of its size.
inline constexpr const char* ideal_variable = "MALLARD_IDEAL";

}  // namespace mallard::density
