// Vectors filled from the back: alone, among others that grow, and with room only in front. And
// vectors that return unneeded memory.
//
// A `Column` names its `arena`, whose allocators are measured, and the `vector<T, Allocator>` that
// uses them. `arena::capable_of` is the allocators' array commands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/kernels/barrier.hpp"
#include "lab/kernels/counting.hpp"
#include "lab/kernels/elements.hpp"
#include "lab/kernels/extended_work.hpp"
#include "lab/measuring/meters.hpp"

namespace mallard::lab {

// Smaller arrays among others move in any case.
inline constexpr std::uint64_t large_array_bytes = 64 * 1024;

// The result of one pass over some containers.
struct growth_result {
  double seconds = 0;
  std::uint64_t checksum = 0;
  std::uint64_t capacity = 0;  // of the last container
};

template <class Vector>
[[gnu::noinline]] void fill_from_back(Vector& v, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i < to; ++i) {
    v.push_back(element<typename Vector::value_type>::make(i));
  }
  consume_memory(v.data());
}

template <class Vector>
std::uint64_t content_of_vector(const Vector& v) {
  using made = element<typename Vector::value_type>;
  return v.size() + made::read(v[v.size() / 2]) * 31 + made::read(v.back()) * 1021;
}

template <class Vector, class Allocator>
growth_result grow_alone(const Allocator& allocator, std::uint64_t iterations,
                         std::uint64_t elements) {
  growth_result result;
  const double start = read_thread_seconds();
  for (std::uint64_t i = 0; i < iterations; ++i) {
    Vector v(allocator);
    fill_from_back(v, 0, elements);
    result.checksum += content_of_vector(v);
    result.capacity = v.capacity();
  }
  result.seconds = read_thread_seconds() - start;
  return result;
}

template <class Vector>
[[gnu::noinline]] void fill_in_turn(std::vector<Vector>& all, std::uint64_t elements) {
  for (std::uint64_t i = 0; i < elements; ++i) {
    for (Vector& v : all) v.push_back(element<typename Vector::value_type>::make(i));
  }
}

template <class Vector, class Allocator>
growth_result grow_among(const Allocator& allocator, std::uint64_t iterations,
                         std::uint64_t elements) {
  growth_result result;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    std::vector<Vector> all;
    all.reserve(growing_vectors);
    while (all.size() < growing_vectors) all.emplace_back(allocator);
    const double start = read_thread_seconds();
    fill_in_turn(all, elements);
    for (const Vector& v : all) result.checksum += content_of_vector(v);
    result.capacity = all.front().capacity();
    all.clear();
    result.seconds += read_thread_seconds() - start;
  }
  return result;
}

// Blocks around a vector: one in front of it, which is freed, and one behind it, which stays.
template <class Allocator>
class neighbours {
 public:
  using traits = std::allocator_traits<Allocator>;

  neighbours(const Allocator& allocator, std::size_t hole)
      : allocator_(allocator), hole_(traits::allocate(allocator_, hole)), hole_count_(hole) {}
  ~neighbours() {
    open_hole();
    if (wall_ != nullptr) traits::deallocate(allocator_, wall_, wall_count);
  }
  neighbours(const neighbours&) = delete;
  neighbours& operator=(const neighbours&) = delete;

  void build_wall() { wall_ = traits::allocate(allocator_, wall_count); }
  void open_hole() {
    if (hole_ != nullptr) traits::deallocate(allocator_, hole_, hole_count_);
    hole_ = nullptr;
  }

 private:
  // More than any rounding could hide.
  static constexpr std::size_t wall_count = 16;

  Allocator allocator_;
  typename traits::pointer hole_;
  std::size_t hole_count_;
  typename traits::pointer wall_ = nullptr;
};

template <class Vector, class Allocator>
struct walled_vector {
  walled_vector(const Allocator& allocator, std::size_t hole)
      : around(allocator, hole), v(allocator) {
    fill_from_back(v, 0, 1);
    around.build_wall();
  }
  neighbours<Allocator> around;
  Vector v;
};

// The article's vectors that can grow only to the front. They are made in batches, so that the
// clock is not read for each. Half as much again as they need was freed in front of them.
template <class Vector, class Allocator>
growth_result grow_backward(const Allocator& allocator, std::uint64_t iterations,
                            std::uint64_t elements) {
  constexpr std::uint64_t batch_bytes = 64 << 20;
  const std::uint64_t hole = elements + elements / 2;
  const std::uint64_t most =
      std::clamp<std::uint64_t>(batch_bytes / (hole * sizeof(typename Vector::value_type)), 1, 100);
  growth_result result;
  for (std::uint64_t left = iterations; left > 0;) {
    const std::uint64_t count = std::min(left, most);
    left -= count;
    std::vector<std::unique_ptr<walled_vector<Vector, Allocator>>> batch;
    for (std::uint64_t i = 0; i < count; ++i) {
      batch.push_back(std::make_unique<walled_vector<Vector, Allocator>>(allocator, hole));
    }
    for (auto& one : batch) one->around.open_hole();
    const double start = read_thread_seconds();
    for (auto& one : batch) fill_from_back(one->v, 1, elements);
    result.seconds += read_thread_seconds() - start;
    for (auto& one : batch) result.checksum += content_of_vector(one->v);
    result.capacity = batch.back()->v.capacity();
  }
  return result;
}

template <class Vector, class Allocator>
growth_result grow(const growth_work& work, const Allocator& allocator, std::uint64_t iterations) {
  switch (work.form) {
    case growth_form::alone:
      return grow_alone<Vector>(allocator, iterations, work.elements);
    case growth_form::among:
      return grow_among<Vector>(allocator, iterations, work.elements);
    case growth_form::backward:
      break;
  }
  return grow_backward<Vector>(allocator, iterations, work.elements);
}

// The share of successful tries, if there were any.
inline void add_success(readings& taken, const call_counts& counts) {
  if (counts.tried == 0) return;
  taken.add("success", static_cast<double>(counts.done) / static_cast<double>(counts.tried));
}

inline void add_growth(readings& taken, const growth_result& timed) {
  taken.checksum = timed.checksum;
  taken.add("time", timed.seconds);
  taken.add("capacity", static_cast<double>(timed.capacity));
  taken.add("rss", static_cast<double>(read_peak_resident_bytes()));
}

inline std::uint64_t counted_iterations(const growth_work& work) {
  return std::min<std::uint64_t>(work.iterations, 4);
}

// Adds the calls per vector, and how often growing in place succeeded.
inline void add_calls(readings& taken, const growth_work& work, const call_counts& counts,
                      std::uint64_t iterations) {
  const std::uint64_t vectors = work.form == growth_form::among ? growing_vectors : 1;
  // Besides the vector's own calls there are those of the hole and the wall.
  const std::uint64_t others = work.form == growth_form::backward ? 2 * iterations : 0;
  taken.add("calls", static_cast<double>(counts.allocations - others) /
                         static_cast<double>(iterations * vectors));
  add_success(taken, counts);
}

template <class Column, class T>
void run_growth_of(const growth_work& work, readings& taken) {
  using arena = typename Column::arena;
  {
    arena memory;
    const auto allocator = memory.template make_allocator<T>();
    using allocator_type = std::remove_const_t<decltype(allocator)>;
    using vector = typename Column::template vector<T, allocator_type>;
    add_growth(taken, grow<vector>(work, allocator, work.iterations));
  }
  arena memory;
  call_counts counts;
  counts.capable_of = arena::capable_of & (forward_command | backward_command);
  if (work.form == growth_form::among) counts.counted_from = large_array_bytes;
  const auto allocator = count_calls(memory.template make_allocator<T>(), counts);
  using allocator_type = std::remove_const_t<decltype(allocator)>;
  using vector = typename Column::template vector<T, allocator_type>;
  const std::uint64_t iterations = counted_iterations(work);
  grow<vector>(work, allocator, iterations);
  add_calls(taken, work, counts, iterations);
}

// Calls `run.operator()<T>()` with the type of the elements.
template <class Run>
void with_element(element_type type, const Run& run) {
  switch (type) {
    case element_type::wrapped_int:
      return run.template operator()<wrapped_int>();
    case element_type::pod64:
      return run.template operator()<pod64>();
    case element_type::string:
      return run.template operator()<std::string>();
  }
}

template <class Column>
void run_growth(const growth_work& work, readings& taken) {
  with_element(work.type, [&]<class T>() { run_growth_of<Column, T>(work, taken); });
}

// Removes the vector's last elements, and their memory with them.
template <class Vector>
[[gnu::noinline]] void shrink_step_by_step(Vector& v) {
  constexpr std::size_t step = 5;
  while (!v.empty()) {
    const auto count = static_cast<std::ptrdiff_t>(std::min(step, v.size()));
    v.erase(v.end() - count, v.end());
    v.shrink_to_fit();
    consume_memory(v.data());
  }
}

// Returns: the seconds. `resident`: the growth of the process when the last vector was empty.
template <class Vector, class Allocator>
double shrink_vectors(const shrink_work& work, const Allocator& allocator, std::uint64_t iterations,
                      std::uint64_t& checksum, std::uint64_t& resident) {
  using made = element<typename Vector::value_type>;
  const std::uint64_t before = read_resident_bytes();
  double seconds = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    const double start = read_thread_seconds();
    Vector v(work.elements, made::make(i), allocator);
    checksum += content_of_vector(v);
    shrink_step_by_step(v);
    seconds += read_thread_seconds() - start;
    if (i + 1 == iterations) resident = std::max(before, read_resident_bytes()) - before;
  }
  return seconds;
}

template <class Column, class T>
void run_shrink_of(const shrink_work& work, readings& taken) {
  using arena = typename Column::arena;
  std::uint64_t resident = 0;
  {
    arena memory;
    const auto allocator = memory.template make_allocator<T>();
    using allocator_type = std::remove_const_t<decltype(allocator)>;
    using vector = typename Column::template vector<T, allocator_type>;
    taken.add("time",
              shrink_vectors<vector>(work, allocator, work.iterations, taken.checksum, resident));
    taken.add("rss_after", static_cast<double>(resident));
    taken.add("rss", static_cast<double>(read_peak_resident_bytes()));
  }
  arena memory;
  call_counts counts;
  counts.capable_of = arena::capable_of & shrink_command;
  const auto allocator = count_calls(memory.template make_allocator<T>(), counts);
  using allocator_type = std::remove_const_t<decltype(allocator)>;
  using vector = typename Column::template vector<T, allocator_type>;
  std::uint64_t ignored = 0;
  shrink_vectors<vector>(work, allocator, 1, ignored, resident);
  add_success(taken, counts);
}

template <class Column>
void run_shrink(const shrink_work& work, readings& taken) {
  with_element(work.type, [&]<class T>() { run_shrink_of<Column, T>(work, taken); });
}

}  // namespace mallard::lab
