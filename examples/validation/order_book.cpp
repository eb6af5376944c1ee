// A book of orders by price: they come, are cancelled, and are filled in the order they came.
#include "variant.hpp"

using namespace example;

namespace {

struct order {
  std::uint64_t id, amount;
};

class book {
 public:
  void add(std::uint64_t id, std::uint64_t price, std::uint64_t amount) {
    level& at = levels_.try_emplace(price).first->second;
    at.push_back({id, amount});
    places_.insert_or_assign(id, std::pair(price, std::prev(at.end())));
  }
  void cancel(std::uint64_t id) {
    const auto found = places_.find(id);
    if (found == places_.end()) return;
    const auto [price, place] = found->second;
    places_.erase(found);
    const auto at = levels_.find(price);
    at->second.erase(place);
    if (at->second.empty()) levels_.erase(at);
  }
  std::uint64_t fill(std::uint64_t amount) {
    std::uint64_t paid = 0;
    while (amount > 0 && !levels_.empty()) {
      const auto best = levels_.begin();
      order& first = best->second.front();
      const std::uint64_t taken = std::min(amount, first.amount);
      amount -= taken;
      first.amount -= taken;
      paid += taken * best->first;
      if (first.amount == 0) cancel(first.id);
    }
    return paid;
  }

 private:
  using level = containers::list<order>;
  memory<mallard::multipool_resource> memory_;
  containers::map<std::uint64_t, level> levels_{memory_.get()};
  containers::unordered_map<std::uint64_t, std::pair<std::uint64_t, level::iterator>> places_{
      memory_.get()};
};

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(11);
  book orders;
  std::uint64_t paid = 0;
  const std::uint64_t rounds = amount(argc, argv, 3'000'000);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    orders.add(i, 1000 + random.below(200), 1 + random.below(50));
    if (random.below(10) < 6) orders.cancel(random.below(i + 1));
    if (random.below(10) < 3) paid += orders.fill(random.below(60));
  }
  return tell(paid);
}
