// Samples of a process's resident memory, from a file of /proc that stays open. There are at most
// `most`: beyond that, every second sample is dropped and the interval doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profile/trace/trace_info.hpp"

namespace mallard::profile {

class resident_samples {
 public:
  static constexpr std::size_t most = 512;
  static constexpr std::uint64_t shortest_ns = 10'000'000;

  explicit resident_samples(std::uint64_t pid);
  ~resident_samples();
  resident_samples(const resident_samples&) = delete;
  resident_samples& operator=(const resident_samples&) = delete;

  // Effects: takes a sample if the last one is old enough and the process lives.
  void take(std::uint64_t time);
  // Effects: adds a sample that was read elsewhere.
  void add(const resident_sample& one);
  std::span<const resident_sample> all() const { return all_; }

 private:
  int file_;
  std::uint64_t page_bytes_;
  std::uint64_t interval_ = shortest_ns;
  std::uint64_t next_ = 0;
  std::vector<resident_sample> all_;
};

}  // namespace mallard::profile
