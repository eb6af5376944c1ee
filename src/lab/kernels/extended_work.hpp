// Parameters and look-up of the kernels for extended allocators: arrays that grow and shrink in
// place, nodes in bursts, pools of nodes, and heaps for blocks of any size.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lab/kernels/series_work.hpp"
#include "lab/results/derived.hpp"

namespace mallard::lab {

// "int": an int wrapped in a class with a copy constructor; "pod64": 64 bytes that may be copied as
// such; "string": a short std::string.
enum class element_type { wrapped_int, pod64, string };

// Whether other containers grow, too, and where there is room: see docs/method.md.
enum class growth_form { alone, among, backward };

// Vectors filled from the back.
struct growth_work {
  std::uint64_t iterations = 0;
  std::uint64_t elements = 0;
  element_type type = element_type::wrapped_int;
  growth_form form = growth_form::alone;
};

// Vectors emptied from the back, five elements at a time; each step returns their memory.
struct shrink_work {
  std::uint64_t iterations = 0;
  std::uint64_t elements = 0;
  element_type type = element_type::wrapped_int;
};

// Containers of nodes filled and emptied by ranges.
enum class node_container { list, stable_vector };
struct burst_work {
  std::uint64_t elements = 0;
  std::uint64_t range = 0;
};

// The same with a list, and the memory that its pool holds.
struct pool_work {
  std::uint64_t elements = 0;
  std::uint64_t range = 0;  // 1: single nodes
};

// One block that grows in steps.
struct realloc_work {
  std::uint64_t rounds = 0;
  std::uint64_t final_bytes = 0;
  std::uint64_t percent = 0;  // new size relative to the old one; 0: steps of so many bytes
  std::uint64_t step_bytes = 0;
};

// Random frees among live blocks of all sizes.
struct mixed_work {
  std::uint64_t live = 0;  // blocks
  std::uint64_t operations = 0;
  std::uint64_t low = 0;  // bytes
  std::uint64_t high = 0;
  std::uint64_t seed = 1;
};

// All columns of these benches, in the order of their tables.
std::span<const column> extended_columns();

// Returns: null if the bench has no such column.
kernel_of<growth_work> find_growth_kernel(const column& where, element_type type, growth_form form);
kernel_of<shrink_work> find_shrink_kernel(const column& where);
kernel_of<burst_work> find_burst_kernel(const column& where, node_container what);
kernel_of<pool_work> find_pool_kernel(const column& where);
kernel_of<realloc_work> find_realloc_kernel(const column& where);
kernel_of<mixed_work> find_mixed_kernel(const column& where);

}  // namespace mallard::lab
