// Purpose: a block together with its real size, which may be more than what was asked for.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

struct sized_block {
  void* p;
  std::size_t bytes;
};

}  // namespace mallard::inline v1
