// A kernel's parameters, and the look-up of kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>

#include "lab/measuring/random.hpp"
#include "lab/measuring/strategies.hpp"

namespace mallard::lab {

inline constexpr std::uint32_t text_bytes = 65536;  // strings are parts of a text of this size
inline constexpr std::uint32_t min_string = 33;     // too long for any small-string optimisation
inline constexpr std::uint32_t max_string = 1000;

struct container_work {
  std::uint64_t outer_elements = 0;
  const char* text = nullptr;
  std::span<std::byte> buffer;  // the caller's buffer; empty: start without one
  random_stream random{0};
  std::default_random_engine paper_random;  // as in the original, with the default seed
  int zero = 0;                             // set at run time: see touch()
  std::uint64_t checksum = 0;               // of all elements; equal for all strategies
};

// Builds and drops the data structure `runs` times.
using container_kernel = void (*)(container_work&, std::uint64_t runs);

enum class fairness { fair, paper };

// Returns: the kernel of a data structure (1..12); null if the library has no such strategy. AS1
// exists only for peer "global", AS2 only for "std" and "boost".
container_kernel find_container_kernel(int ds, const strategy& how, std::string_view peer,
                                       fairness choices);

}  // namespace mallard::lab
