// The program's own work between heap operations: time passes, and other data fills the cache.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mallard::replay {

// One for each lane.
class thinker {
 public:
  // Longer gaps are cut to this: caches are then as cold as they get.
  static constexpr std::uint32_t longest_ns = 50'000;

  // `pollution_bytes`: size of the program's other data, mapped and written here. Throws
  // std::bad_alloc.
  thinker(double steps_per_ns, std::size_t pollution_bytes);
  ~thinker();
  thinker(const thinker&) = delete;
  thinker& operator=(const thinker&) = delete;

  // Effects: executes dependent steps for that long; every hundredth reads and writes the next line
  // of the other data.
  void pass(std::uint32_t ns) {
    if (ns != 0) work(ns);
  }

 private:
  void work(std::uint32_t ns);

  std::uint32_t steps_per_1024_ns_;
  std::uint32_t until_line_ = 0;
  std::size_t bytes_;
  std::size_t at_ = 0;
  std::uint64_t value_ = 1;
  unsigned char* lines_;
};

// Returns: this processor's undisturbed steps per nanosecond, the best of several tries. Takes a
// few milliseconds.
double calibrate_thinking();

}  // namespace mallard::replay
