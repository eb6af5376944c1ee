// The benches of extended allocators without Boost: std's containers, realloc, and heaps for blocks
// of all sizes.
#include <list>
#include <vector>

#include "lab/kernels/bursts.hpp"
#include "lab/kernels/extended_arenas.hpp"
#include "lab/kernels/extended_kernels.hpp"
#include "lab/kernels/growth.hpp"
#include "lab/kernels/mixed.hpp"
#include "lab/kernels/realloc_vector.hpp"
#include "lab/kernels/resizing.hpp"

namespace mallard::lab {
namespace {

struct std_column {
  using arena = std_arena;
  template <class T, class Allocator>
  using vector = std::vector<T, Allocator>;
  template <class T, class Allocator>
  using list = std::list<T, Allocator>;
};

struct std_pool {
  void* allocate(std::size_t bytes) { return pool.allocate(bytes); }
  void deallocate(void* p, std::size_t bytes) { pool.deallocate(p, bytes); }
  std::pmr::unsynchronized_pool_resource pool;
};

}  // namespace

// It cannot use room in front.
kernel_of<growth_work> realloc_growth(element_type type, growth_form form) {
  const bool possible = type == element_type::pod64 && form != growth_form::backward;
  return possible ? run_realloc_growth : nullptr;
}

kernel_of<growth_work> std_growth() {
  return run_growth<std_column>;
}

kernel_of<shrink_work> std_shrink() {
  return run_shrink<std_column>;
}

kernel_of<burst_work> std_burst(node_container what) {
  return what == node_container::list ? run_list_burst<std_column> : nullptr;
}

kernel_of<pool_work> std_list_pool() {
  return run_pool<std_column>;
}

kernel_of<realloc_work> plain_resize(const column& where) {
  if (where == column{"realloc", "global"}) return run_realloc<c_block>;
  return where == column{"remap", "mallard"} ? run_realloc<heap_block> : nullptr;
}

kernel_of<mixed_work> plain_mixed(const column& where) {
  if (where == column{"AS1", "global"}) return run_mixed<operator_new_heap>;
  if (where == column{"heap", "mallard"}) return run_mixed<heap_resource>;
  return where == column{"pool", "std"} ? run_mixed<std_pool> : nullptr;
}

}  // namespace mallard::lab
