// The activity of each thread over time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profile/of_threads.hpp"

namespace mallard::profile {

struct thread_activity {
  std::vector<std::string> threads;
  std::vector<std::uint64_t> times;                    // starts of the stretches, nanoseconds
  std::vector<std::vector<std::uint64_t>> operations;  // by thread and stretch
  std::vector<std::vector<std::uint64_t>> remote;      // frees of other threads' blocks
};

class activity_builder {
 public:
  static constexpr std::size_t stretches = 20;
  static constexpr std::size_t most_threads = 40;

  explicit activity_builder(std::uint64_t duration);
  void operation(std::uint32_t thread, std::uint64_t time) {
    ++rows_[thread].operations[stretch_at(time)];
  }
  // Also passed to operation().
  void remote_free(std::uint32_t thread, std::uint64_t time) {
    ++rows_[thread].remote[stretch_at(time)];
  }
  // The busiest threads, and one row for all others. `names`: by thread.
  thread_activity finish(const std::map<std::uint32_t, std::string>& names);

 private:
  struct row {
    std::array<std::uint64_t, stretches> operations{};
    std::array<std::uint64_t, stretches> remote{};
  };
  std::size_t stretch_at(std::uint64_t time) const {
    return std::min<std::size_t>(stretches - 1, time / stretch_);
  }

  std::uint64_t stretch_;  // nanoseconds
  of_threads<row> rows_;
};

}  // namespace mallard::profile
