// A program for the tests of the page to record: requests whose blocks all die with them, and a
// cache that stays.
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

}  // namespace

int main() {
  std::map<int, std::string> cache;
  std::size_t sum = 0;
  std::thread worker([&sum] {
    for (int i = 0; i < requests; ++i) sum += handle_request(i);
  });
  for (int i = 0; i < 4 * entries; ++i) remember(cache, i);
  worker.join();
  std::printf("%zu\n", sum + cache.size());
  std::fflush(stdout);
  std::quick_exit(0);  // the cache is not freed
}
