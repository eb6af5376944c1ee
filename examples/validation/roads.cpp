// A map of roads that opens and closes some of them between searches for the nearest places.
#include <queue>

#include "variant.hpp"

using namespace example;

namespace {

class road_map {
 public:
  explicit road_map(std::size_t towns) {
    for (std::size_t i = 0; i < towns; ++i) roads_.emplace_back();
  }
  void open(std::size_t from, std::size_t to, std::uint64_t miles) {
    roads_[from].push_back({to, miles});
    roads_[to].push_back({from, miles});
  }
  void close(std::size_t from) {
    if (roads_[from].empty()) return;
    const std::size_t to = roads_[from].front().to;
    roads_[from].pop_front();
    roads_[to].remove_if([&](const road& one) { return one.to == from; });
  }
  std::uint64_t reach(std::size_t from, std::uint64_t miles) const {
    std::vector<std::uint64_t> best(roads_.size(), UINT64_MAX);
    using place = std::pair<std::uint64_t, std::size_t>;
    std::priority_queue<place, std::vector<place>, std::greater<>> next;
    next.push({0, from});
    std::uint64_t found = 0;
    while (!next.empty() && next.top().first <= miles) {
      const auto [so_far, at] = next.top();
      next.pop();
      if (so_far >= best[at]) continue;
      best[at] = so_far;
      ++found;
      for (const road& one : roads_[at]) next.push({so_far + one.miles, one.to});
    }
    return found;
  }

 private:
  struct road {
    std::size_t to;
    std::uint64_t miles;
  };
  memory<mallard::multipool_resource> memory_;
  containers::vector<containers::list<road>> roads_{memory_.get()};
};

}  // namespace

int main(int argc, char** argv) {
  constexpr std::size_t towns = 20000;
  random_numbers random(15);
  road_map map(towns);
  for (std::size_t i = 0; i < 4 * towns; ++i) {
    map.open(random.below(towns), random.below(towns), 1 + random.below(30));
  }
  std::uint64_t found = 0;
  const std::uint64_t rounds = amount(argc, argv, 150);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    for (int j = 0; j < 4000; ++j) {
      map.close(random.below(towns));
      map.open(random.below(towns), random.below(towns), 1 + random.below(30));
    }
    found += map.reach(random.below(towns), 40);
  }
  return tell(found);
}
