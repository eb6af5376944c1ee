// The kernels of the benches of extended allocators, by column.
#pragma once

#include <span>
#include <string_view>

#include "lab/kernels/extended_work.hpp"

namespace mallard::lab {

// Those of one column; null where it has none, or another table has it.
struct column_kernels {
  std::string_view strategy;
  std::string_view peer;
  kernel_of<growth_work> growth = nullptr;
  kernel_of<shrink_work> shrink = nullptr;
  kernel_of<burst_work> list_burst = nullptr;
  kernel_of<burst_work> vector_burst = nullptr;
  kernel_of<pool_work> pool = nullptr;
  kernel_of<realloc_work> resize = nullptr;
  kernel_of<mixed_work> mixed = nullptr;
};

// Each in the file of its name; all but the first need Boost's containers.
using kernel_table = std::span<const column_kernels>;
extern const kernel_table extended_plain;
extern const kernel_table extended_growth_mallard, extended_growth_boost;
extern const kernel_table extended_nodes_mallard, extended_nodes_boost;

}  // namespace mallard::lab
