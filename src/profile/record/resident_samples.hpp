// Samples of a process's resident memory: one file of /proc, kept open, read now and then. There
// are never more than `most`: when there are, every second one goes, and further ones come half as
// often.
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

  // Effects: there is a sample of `time` if the last one is long enough ago and the process lives.
  void take(std::uint64_t time);
  // The same with the bytes that were read.
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
