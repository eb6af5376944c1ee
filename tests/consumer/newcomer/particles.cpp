// Objects of one type.
#include <vector>

#include <mallard/mallard.hpp>

struct particle {
  float x, y;
  int age = 0;
};

int main() {
  mallard::object_pool<particle> pool;
  std::vector<particle*> live;
  for (int i = 0; i < 1000; ++i) {
    live.push_back(pool.create(1.0f, static_cast<float>(i)));
    if (live.size() > 100) {
      pool.destroy(live.front());
      live.erase(live.begin());
    }
  }
  const bool right = pool.size() == 100;
  for (particle* p : live) pool.destroy(p);
  return right && pool.size() == 0 ? 0 : 1;
}
