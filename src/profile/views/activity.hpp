// What each thread does over time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mallard::profile {

struct thread_activity {
  std::vector<std::string> threads;
  std::vector<std::uint64_t> times;                    // beginnings of the stretches, nanoseconds
  std::vector<std::vector<std::uint64_t>> operations;  // by thread and stretch
  std::vector<std::vector<std::uint64_t>> remote;      // frees of other threads' blocks
};

class activity_builder {
 public:
  static constexpr std::size_t stretches = 20;
  static constexpr std::size_t most_threads = 40;

  explicit activity_builder(std::uint64_t duration);
  void operation(std::uint32_t thread, std::uint64_t time, bool remote_free);
  // The busiest threads; all others are one row. `names` by thread.
  thread_activity finish(const std::map<std::uint32_t, std::string>& names) const;

 private:
  struct row {
    std::array<std::uint64_t, stretches> operations{};
    std::array<std::uint64_t, stretches> remote{};
  };
  std::uint64_t stretch_;  // nanoseconds
  std::map<std::uint32_t, row> rows_;
};

}  // namespace mallard::profile
