// AS1: std:: containers on the global heap.

#include "lab/kernels/pick.hpp"

namespace mallard::lab {
namespace {

template <class Mode>
struct global_runner {
  template <class Container>
  static void run(container_work& job, std::uint64_t runs) {
    for (std::uint64_t i = 0; i < runs; ++i) {
      Container container;
      fill<Mode>(container, job);
    }
  }
};

template <class Mode>
container_kernel pick(int ds) {
  return pick_structure<shapes<global_allocators, Mode>, global_runner<Mode>>(ds);
}

}  // namespace

container_kernel global_kernel(int ds, fairness choices) {
  return choices == fairness::paper ? pick<paper_mode>(ds) : pick<fair_mode>(ds);
}

}  // namespace mallard::lab
