// The system as the engine's tests want it: its clock goes on when they say so, and it can refuse
// memory. The linker lets the engine call these functions: see --wrap.
#pragma once

#include <atomic>

namespace malloc_test {

inline std::atomic<long> seconds_later{0};
inline std::atomic<bool> refuses_mappings{false};

}  // namespace malloc_test
