// The kernels: what is done with the malloc under test. They call malloc, calloc, realloc and free
// for what is measured and for nothing else.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

#include "lab/kernels/barrier.hpp"
#include "lab/malloc_work/give_up.hpp"
#include "lab/malloc_work/job.hpp"
#include "lab/malloc_work/own_memory.hpp"
#include "lab/malloc_work/own_meters.hpp"
#include "lab/malloc_work/team.hpp"

namespace mallard::lab::malloc_work {

void churn(const malloc_job& job, own_memory& own, malloc_readings& taken);
void thrash(const malloc_job& job, own_memory& own, malloc_readings& taken);
void scratch(const malloc_job& job, own_memory& own, malloc_readings& taken);
void speed(const malloc_job& job, own_memory& own, malloc_readings& taken);
void memory(const malloc_job& job, own_memory& own, malloc_readings& taken);
void larson(const malloc_job& job, own_memory& own, malloc_readings& taken);
void remote_free(const malloc_job& job, own_memory& own, malloc_readings& taken);
void mixed(const malloc_job& job, own_memory& own, malloc_readings& taken);

// Sizes drawn before anything is timed; all threads read the same table, from places of their own.
class size_table {
 public:
  static constexpr std::size_t entries = std::size_t{1} << 16;

  size_table(const malloc_job& job, own_memory& own) : sizes_(own.make<std::uint32_t>(entries)) {
    random_stream random(job.seed);
    for (std::uint32_t& one : sizes_) one = job.sizes.draw(random);
  }
  std::uint32_t operator[](std::uint64_t at) const { return sizes_[at % entries]; }

  // Where a thread starts to read.
  static std::uint64_t start_of(unsigned number) { return std::uint64_t{number} * 7919; }

 private:
  std::span<std::uint32_t> sizes_;
};

inline void* there(void* block) {
  if (!block) [[unlikely]]
    give_up("out of memory");
  return block;
}

inline void increment(void* byte) {
  auto* const first = static_cast<volatile unsigned char*>(byte);
  *first = static_cast<unsigned char>(*first + 1);
}

// One byte of each page.
inline void touch_pages(void* block, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 4096) increment(static_cast<char*>(block) + at);
}

inline void add_resident_peak(const own_memory& own, malloc_readings& taken,
                              std::size_t group = 0) {
  taken.add(malloc_figure::rss, static_cast<double>(peak_resident_bytes(own)), group);
}

}  // namespace mallard::lab::malloc_work
