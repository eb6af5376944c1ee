// The shortest ways over a grid with walls (A*): each search has open and closed places of its own.
#include "variant.hpp"

using namespace example;

namespace {

constexpr int width = 200;

int distance(int a, int b) {
  return std::abs(a % width - b % width) + std::abs(a / width - b / width);
}

[[gnu::noinline]] std::uint64_t find_way(const std::vector<bool>& walls, int from, int to) {
  memory<mallard::monotonic_resource> arena(65536);
  containers::multimap<int, int> open(arena.get());        // by what the whole way takes at least
  containers::unordered_map<int, int> steps(arena.get());  // to each place that was reached
  open.emplace(distance(from, to), from);
  steps.emplace(from, 0);
  while (!open.empty()) {
    const int at = open.begin()->second;
    open.erase(open.begin());
    if (at == to) return static_cast<std::uint64_t>(steps.at(at));
    const int next_steps = steps.at(at) + 1;
    for (const int by : {1, -1, width, -width}) {
      const int next = at + by;
      if (next < 0 || next >= width * width || walls[static_cast<std::size_t>(next)]) continue;
      const auto [known, fresh] = steps.try_emplace(next, next_steps);
      if (!fresh && known->second <= next_steps) continue;
      known->second = next_steps;
      open.emplace(next_steps + distance(next, to), next);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(13);
  std::vector<bool> walls(width * width);
  for (auto&& one : walls) one = random.below(4) == 0;
  std::uint64_t found = 0;
  const std::uint64_t rounds = amount(argc, argv, 1500);
  const auto place = [&] { return static_cast<int>(random.below(width * width)); };
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const int from = place();
    found += find_way(walls, from, place());
  }
  return tell(found);
}
