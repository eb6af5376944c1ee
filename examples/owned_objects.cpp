// Objects that are owned one by one: a pool of particles, and a table of names by unique pointers.
#include <cstdio>
#include <memory_resource>
#include <string>
#include <vector>

#include "mallard/allocate_unique.hpp"
#include "mallard/multipool.hpp"
#include "mallard/object_pool.hpp"

struct particle {
  float x, y;
};

int main() {
  mallard::object_pool<particle> particles;
  std::vector<particle*> alive;
  for (int i = 0; i < 1000; ++i) alive.push_back(particles.create(float(i), 0.0f));
  for (std::size_t i = 0; i < alive.size(); i += 2) particles.destroy(alive[i]);

  mallard::multipool_resource pool;
  auto by_type =
      mallard::allocate_unique<std::pmr::string>(pool, "its text is in the pool as well");
  std::pmr::memory_resource& base = pool;
  std::unique_ptr<int[], mallard::resource_deleter<int[]>> by_base =
      mallard::allocate_unique<int[]>(base, 100);

  std::printf("%zu particles, %zu bytes in the pool\n", particles.size(),
              pool.stats().in_use_bytes);
  const bool as_expected = particles.size() == 500 && by_type->get_allocator().resource() == &pool;
  for (std::size_t i = 1; i < alive.size(); i += 2) particles.destroy(alive[i]);
  return as_expected && by_base[99] == 0 ? 0 : 1;
}
