// Things in a game: they come and go, and carry lists that change in each step.
#include "variant.hpp"

using namespace example;

namespace {

struct entity {
  explicit entity(const allocator& from) : name(from), effects(from), path(from) {}
  containers::string name;
  containers::list<std::uint64_t> effects;
  containers::vector<std::uint64_t> path;
};

class world {
 public:
  void step(random_numbers& random) {
    for (int i = 0; i < 200; ++i) {
      entity& one = things_.try_emplace(next_, memory_.get()).first->second;
      one.name = "an entity with the number " + std::to_string(next_++);
      one.path.assign(4 + random.below(30), next_);
    }
    for (auto at = things_.begin(); at != things_.end();) {
      entity& one = at->second;
      if (random.below(4) == 0) one.effects.push_back(random.below(100));
      if (one.effects.size() > 4) one.effects.pop_front();
      if (!one.path.empty()) one.path.pop_back();
      at = one.path.empty() ? things_.erase(at) : std::next(at);
    }
  }
  std::uint64_t alive() const { return things_.size(); }

 private:
  memory<mallard::multipool_resource> memory_;
  containers::map<std::uint64_t, entity> things_{memory_.get()};
  std::uint64_t next_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(19);
  world all;
  std::uint64_t found = 0;
  const std::uint64_t rounds = amount(argc, argv, 6000);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    all.step(random);
    found += all.alive();
  }
  return tell(found);
}
