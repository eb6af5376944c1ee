// The time that counting costs, and its goal: at most 2 ns an operation on top of the upstream,
// held by its type and used by one thread. Both run in turns, so that a busy machine slows both.
//
//   build/release/bench/mallard_counting [repetitions]
//
// Ends with 1 when the goal is missed.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory_resource>
#include <vector>

#include "mallard/checks/counting_resource.hpp"
#include "mallard/checks/synchronized_counting_resource.hpp"
#include "mallard/multipool.hpp"
#include "measured.hpp"

namespace {

using mallard::bench::laundered;
using mallard::bench::median;
using mallard::bench::now;

constexpr long pairs = 500'000;
constexpr double goal_ns = 2;

// Nanoseconds of an allocation or a deallocation.
template <class R>
double one_operation(R& resource) {
  const double start = now();
  for (long i = 0; i < pairs; ++i) {
    resource.deallocate(laundered(resource.allocate(24, 8)), 24, 8);
  }
  return (now() - start) / (2 * static_cast<double>(pairs));
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 41;
  if (repetitions < 1 || argc > 2) {
    std::fprintf(stderr, "usage: %s [repetitions]\n", argv[0]);
    return 2;
  }
  mallard::multipool_resource pool;
  std::pmr::memory_resource& base = *laundered<std::pmr::memory_resource>(&pool);
  mallard::counting_resource counting(&base);
  mallard::synchronized_counting_resource shared(&base);
  std::vector<double> alone;
  std::vector<double> counted;
  std::vector<double> counted_shared;
  for (int i = 0; i < repetitions; ++i) {
    alone.push_back(one_operation(base));
    counted.push_back(one_operation(counting));
    counted_shared.push_back(one_operation(shared));
  }
  const double upstream = median(alone);
  const double cost = median(counted) - upstream;
  const bool reached = cost <= goal_ns;
  std::printf("ns of processor time an operation, medians of %d\n", repetitions);
  std::printf("  multipool_resource by base        %6.2f\n", upstream);
  std::printf("  counting_resource on top          %6.2f  of %.0f  %s\n", cost, goal_ns,
              reached ? "reached" : "MISSED");
  std::printf("  synchronized_counting_resource    %6.2f\n", median(counted_shared) - upstream);
  return reached ? 0 : 1;
}
