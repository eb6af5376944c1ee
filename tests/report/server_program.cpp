// A program for the tests of the page to record: requests whose blocks all die with them, and a
// cache that stays.
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int requests = 300;
constexpr int entries = 500;

struct tree {
  std::string name;
  std::vector<std::unique_ptr<tree>> children;
};

[[gnu::noinline]] std::unique_ptr<tree> parse_tree(int depth) {
  auto made = std::make_unique<tree>();
  made->name = "a name that is too long for the string itself";
  for (int i = 0; depth > 0 && i < 3; ++i) made->children.push_back(parse_tree(depth - 1));
  return made;
}

[[gnu::noinline]] std::size_t handle_request(int number) {
  const auto parsed = parse_tree(3);
  std::map<int, std::string> index;
  for (int i = 0; i < 20; ++i) index[(i * 7 + number) % 20] = parsed->name;
  return index.size();
}

[[gnu::noinline]] void remember(std::map<int, std::string>& cache, int number) {
  cache[number % entries] = std::string(static_cast<std::size_t>(100 + number % 50), 'x');
}

// So either half of the time has something of both threads, whatever else the machine does.
void wait_for_part(std::chrono::steady_clock::time_point start, int part, int parts) {
  constexpr std::chrono::milliseconds all(150);
  std::this_thread::sleep_until(start + all * part / parts);
}

}  // namespace

int main() {
  std::map<int, std::string> cache;
  std::size_t sum = 0;
  const auto start = std::chrono::steady_clock::now();
  std::thread worker([&sum, start] {
    for (int i = 0; i < requests; ++i) {
      wait_for_part(start, i, requests);
      sum += handle_request(i);
    }
  });
  for (int i = 0; i < 4 * entries; ++i) {
    if (i % 20 == 0) wait_for_part(start, i, 4 * entries);
    remember(cache, i);
  }
  worker.join();
  std::printf("%zu\n", sum + cache.size());
  std::fflush(stdout);
  std::quick_exit(0);  // the cache is not freed
}
