// A library of the user's that uses ours.
#include <mallard/multipool.hpp>

#include <cstddef>

std::size_t bytes_of_a_hundred() {
  mallard::multipool_resource pool;
  for (int i = 0; i < 100; ++i) (void)pool.allocate(24);
  return pool.stats().in_use_bytes;
}
