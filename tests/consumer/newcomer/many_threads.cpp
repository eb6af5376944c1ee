// Several threads allocate and free at once; what one allocated another may free.
#include <memory_resource>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <mallard/mallard.hpp>

int main() {
  mallard::synchronized_multipool_resource pool;
  std::mutex lock;
  std::pmr::vector<std::pmr::string> results(&pool);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        std::pmr::string result(200, 'x', &pool);
        const std::lock_guard hold(lock);
        results.push_back(std::move(result));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return results.size() == 400 ? 0 : 1;
}
