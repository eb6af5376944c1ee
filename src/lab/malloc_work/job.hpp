// What a process that measures a malloc is told, and what it answers. Both travel through a pipe as
// they are, between two processes of one program, hence no owning members and no addresses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "lab/malloc_work/size_mix.hpp"
#include "lab/outcome.hpp"

namespace mallard::lab {

enum class malloc_bench : std::uint8_t {
  churn,
  thrash,
  scratch,
  speed,
  memory,
  larson,
  remote_free,
  mixed
};
std::string_view to_string(malloc_bench bench);

// What the program itself does with a new block before anything else.
enum class first_touch : std::uint8_t { none, first_byte, all };

// Each bench uses the members that it names.
struct malloc_job {
  malloc_bench bench = malloc_bench::churn;
  unsigned threads = 1;          // remote_free: pairs; memory: producers
  unsigned consumers = 1;        // memory: of each producer
  std::uint64_t operations = 0;  // of a thread: blocks allocated; memory: of each buffer
  std::uint64_t touches = 0;     // thrash, scratch: of each block
  std::uint64_t slots = 0;       // churn: spots; larson, mixed: live blocks of a thread
  std::uint64_t batch = 1;       // remote_free; memory: blocks allocated before any is freed
  std::uint64_t warm_ups = 0;    // thrash, scratch: chunks of 16 bytes; speed: rounds of all blocks
  std::uint32_t chains = 0;      // speed: a bit for each of speed_chains
  double seconds = 0;            // larson
  double remote_share = 0;       // mixed: of the frees
  first_touch touch = first_touch::first_byte;  // churn
  bool shared_spots = true;                     // churn: one array for all threads
  bool same_size = false;                       // speed: realloc to the size that the block has
  bool ping_pong = false;                       // remote_free: both threads of a pair allocate
  std::uint64_t seed = 1;
  size_mix sizes;
};

// The routines of speed, and its chains of them in the order of the chapter.
enum class routine : std::uint8_t { none, malloc, realloc, free, calloc };
struct speed_chain {
  const char* name;
  std::array<routine, 4> routines;
};
inline constexpr std::array<speed_chain, 12> speed_chains = {{
    {"malloc", {routine::malloc}},
    {"realloc", {routine::realloc}},
    {"free", {routine::free}},
    {"calloc", {routine::calloc}},
    {"malloc-free", {routine::malloc, routine::free}},
    {"realloc-free", {routine::realloc, routine::free}},
    {"calloc-free", {routine::calloc, routine::free}},
    {"malloc-realloc", {routine::malloc, routine::realloc}},
    {"calloc-realloc", {routine::calloc, routine::realloc}},
    {"malloc-realloc-free", {routine::malloc, routine::realloc, routine::free}},
    {"calloc-realloc-free", {routine::calloc, routine::realloc, routine::free}},
    {"malloc-realloc-free-calloc",
     {routine::malloc, routine::realloc, routine::free, routine::calloc}},
}};

// What is measured; the names and units are those of result files.
enum class malloc_figure : std::uint16_t {
  time,
  time_with_threads,
  user,
  system,
  per_op,
  throughput,
  rss,
  malloc_p50,
  malloc_p99,
  malloc_p999,
  free_p50,
  free_p99,
  free_p999,
  peak_rss,
  end_rss,
  peak_dynamic,
  end_dynamic,
  elapsed,
  requested,
  heap,
  mmap,
  mmap_so,
  reserved_none,
  total_dynamic,
  total_dynamic_thesis,
};
std::string_view name_of(malloc_figure what);
std::string_view unit_of(malloc_figure what);

// How often memory is sampled while it is allocated and freed.
inline constexpr unsigned memory_points = 60;

// `group` tells cells of one process apart: of speed the number of the chain; of memory 0 is the
// cell itself and n + 1 the point n of the series.
struct malloc_reading {
  std::uint16_t group = 0;
  malloc_figure what = malloc_figure::time;
  double value = 0;
};

class malloc_readings {
 public:
  void add(malloc_figure what, double value, std::size_t group = 0);
  std::span<const malloc_reading> all() const { return {all_.data(), count_}; }

  // The file that this process had its malloc from, as the dynamic linker names it.
  std::array<char, 256> library{};

 private:
  std::array<malloc_reading, 9 * memory_points + 16> all_{};
  std::size_t count_ = 0;
};

using malloc_outcome = basic_outcome<malloc_readings>;

}  // namespace mallard::lab
