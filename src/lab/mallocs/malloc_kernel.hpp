// The base of the kernels for mallocs. They call malloc, calloc, realloc and free only for the
// measured work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "lab/mallocs/own_memory.hpp"
#include "lab/mallocs/own_meters.hpp"
#include "lab/mallocs/size_mix.hpp"
#include "lab/measuring/executed.hpp"
#include "lab/measuring/random.hpp"
#include "lab/measuring/readings.hpp"
#include "lab/measuring/task.hpp"

namespace mallard::lab::mallocs {

// The function of an executed_kernel, for one that takes its work and a place for its own tables.
template <class Work, void (*Run)(const Work&, own_memory&, readings&)>
void run_kernel(const void* work, const circumstances&, readings& taken) {
  own_memory own;
  Run(*static_cast<const Work*>(work), own, taken);
}

// The task of the executed_kernel with this name.
template <class Work>
task make_task(std::string name, const Work& work) {
  task made;
  made.name = std::move(name);
  made.work = bytes_of(work);
  made.prepares_itself = true;  // the lab must not touch the heap
  return made;
}

// Sizes drawn before anything is timed. All threads read the same table, from different positions.
class size_table {
 public:
  static constexpr std::size_t entries = std::size_t{1} << 16;

  size_table(const size_mix& sizes, std::uint64_t seed, own_memory& own)
      : sizes_(own.make<std::uint32_t>(entries)) {
    random_stream random(seed);
    for (std::uint32_t& one : sizes_) one = sizes.draw(random);
  }

  std::uint32_t operator[](std::uint64_t at) const { return sizes_[at % entries]; }

  // The position at which a thread starts to read.
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

// Increments one byte of each page.
inline void touch_pages(void* block, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 4096) increment(static_cast<char*>(block) + at);
}

inline void add_resident_peak(const own_memory& own, readings& taken,
                              std::int64_t part = reading::whole) {
  taken.add("rss", static_cast<double>(peak_resident_bytes(own)), part);
}

}  // namespace mallard::lab::mallocs
