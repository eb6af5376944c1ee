// Shared by the benches of strategies and of allocators.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/bench/bench.hpp"
#include "lab/kernels/series_work.hpp"

namespace mallard::lab {

// The column to look a kernel up for.
inline column column_of(const contender& who) {
  return {who.strategy, who.peer};
}

// AS1 to AS14 and the like.
inline rivals_of strategies_of(std::string usual, std::string quick = {}) {
  rivals_of rivals;
  rivals.kind = rivals::strategies;
  rivals.usual = std::move(usual);
  rivals.quick = std::move(quick);
  return rivals;
}

// Allocators with a kernel of the bench.
rivals_of columns_with(const std::function<bool(const column&)>& has);

inline std::uint64_t count_of(const place& at, const char* name) {
  return static_cast<std::uint64_t>(at.number(name));
}

inline std::uint64_t power(std::uint64_t base, std::int64_t exponent) {
  std::uint64_t value = 1;
  for (std::int64_t i = 0; i < exponent; ++i) value *= base;
  return value;
}

// 2 to the power of the coordinate.
inline std::uint64_t power_of(const place& at, const char* name) {
  return power(2, at.number(name));
}

// The coordinate's word as an enumerator, by its position in `known`.
template <class Enum>
Enum choice_of(const place& at, const char* name, const std::vector<std::string>& known) {
  const std::string& word = at.word(name);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == word) return static_cast<Enum>(i);
  }
  throw std::out_of_range("'" + word + "' is not a " + name);
}

// The number of threads that take turns on a processor.
double waves_of(std::int64_t threads);

// The first screen's headline about a local multipool.
inline page_headline multipool_gain(std::string title, std::string text, std::string measure,
                                    place where = {}) {
  return {.title = std::move(title) + ", AS7 over AS1",
          .subject = "A local multipool (AS7) reaches",
          .text = std::move(text),
          .measure = std::move(measure),
          .who = {.strategy = "AS7"},
          .over = {.peer = std::string(global_peer)},
          .where = std::move(where)};
}

inline measure_kind time_measure() {
  return {"time", "s", "Time"};
}
inline measure_kind peak_measure() {
  return {"rss", "B", "Peak memory"};
}
inline figure_kind milliseconds() {
  return {.title = "ms", .measure = "time", .scale = 1e3};
}
inline figure_kind mebibytes(std::string title, std::string measure) {
  return {.title = std::move(title), .measure = std::move(measure), .scale = 1.0 / (1 << 20)};
}

}  // namespace mallard::lab
