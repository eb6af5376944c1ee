// The system as tests of the engine want it: it refuses memory, and its clock goes on, when they
// say so. The linker lets the engine call these functions: see --wrap.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>

namespace malloc_test {

inline std::atomic<long> seconds_later{0};

// Whether a call for memory is refused.
inline bool refuses_none() {
  return false;
}
inline std::atomic<bool (*)()> refuses{refuses_none};
// The same for moving pages to `to`, or anywhere if that is null; it may change something there.
inline bool refuses_move_as_others(void*, std::size_t, std::size_t) {
  return refuses.load()();
}
inline std::atomic<bool (*)(void* to, std::size_t bytes, std::size_t new_bytes)> refuses_move{
    refuses_move_as_others};

}  // namespace malloc_test

extern "C" void* __real_mmap(void*, std::size_t, int, int, int, off_t);
