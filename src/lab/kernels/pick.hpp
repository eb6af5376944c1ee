// Maps the number of a data structure to the function that builds it.
#pragma once

#include <array>

#include "lab/kernels/fill.hpp"

namespace mallard::lab {

// `Runner::run<Container>` is the kernel of one container type.
template <class Shapes, class Runner>
container_kernel pick_structure(int ds) {
  static constexpr std::array<container_kernel, 12> table = {
      Runner::template run<typename Shapes::ds1>,  Runner::template run<typename Shapes::ds2>,
      Runner::template run<typename Shapes::ds3>,  Runner::template run<typename Shapes::ds4>,
      Runner::template run<typename Shapes::ds5>,  Runner::template run<typename Shapes::ds6>,
      Runner::template run<typename Shapes::ds7>,  Runner::template run<typename Shapes::ds8>,
      Runner::template run<typename Shapes::ds9>,  Runner::template run<typename Shapes::ds10>,
      Runner::template run<typename Shapes::ds11>, Runner::template run<typename Shapes::ds12>,
  };
  return table[static_cast<std::size_t>(ds - 1)];
}

}  // namespace mallard::lab
