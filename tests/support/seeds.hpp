// Seeds of random tests: the same ones in every run unless MALLARD_TEST_SEED names one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace mallard_test {

// A failure must print its seed together with this, so that it can be repeated.
inline std::string reproduce_with(std::uint64_t seed) {
  return "; reproduce with MALLARD_TEST_SEED=" + std::to_string(seed);
}

inline std::vector<std::uint64_t> test_seeds(std::uint64_t count) {
  if (const char* chosen = std::getenv("MALLARD_TEST_SEED")) {
    return {std::strtoull(chosen, nullptr, 0)};
  }
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = 1; seed <= count; ++seed) seeds.push_back(seed);
  return seeds;
}

}  // namespace mallard_test
