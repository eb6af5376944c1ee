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

constexpr column_kernels all[] = {
    {.strategy = "std",
     .peer = "std",
     .growth = run_growth<std_column>,
     .shrink = run_shrink<std_column>,
     .list_burst = run_burst<std_column, list_rounds>,
     .pool = run_pool<std_column>},
    {.strategy = "pool", .peer = "std", .mixed = run_mixed<std_pool>},
    {.strategy = "AS1", .peer = "global", .mixed = run_mixed<operator_new_heap>},
    {.strategy = "realloc",
     .peer = "global",
     .growth = run_realloc_growth,
     .resize = run_realloc<c_block>},
    {.strategy = "remap", .peer = "mallard", .resize = run_realloc<heap_block>},
    {.strategy = "heap", .peer = "mallard", .mixed = run_mixed<heap_resource>},
};

}  // namespace

constinit const kernel_table extended_plain = all;

}  // namespace mallard::lab
