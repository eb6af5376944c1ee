// A graph of nodes, made while others allocate, then walked many times.
#include <algorithm>

#include "mallard/multipool.hpp"
#include "variant.hpp"

using namespace example;

namespace {

struct node {
  explicit node(const allocator& from) : neighbours(from) {}
  containers::vector<std::uint32_t> neighbours;
  std::uint32_t distance = 0;
};

class graph {
 public:
  [[gnu::noinline]] void add_node(random_numbers& random) {
    const auto self = static_cast<std::uint32_t>(nodes_.size());
    node& one = nodes_.emplace_back(memory_.get());
    for (std::uint64_t i = 0, n = 2 + random.below(4); i < n && self > 0; ++i) {
      // Most edges go to nodes that were made at about the same time.
      const std::uint64_t back = 1 + random.below(std::min<std::uint64_t>(self, 64));
      one.neighbours.push_back(self - static_cast<std::uint32_t>(back));
    }
  }

  std::uint64_t walk() {
    std::uint64_t sum = 0;
    std::uint32_t round = 0;
    for (node& one : nodes_) {
      one.distance = ++round;
      for (const std::uint32_t other : one.neighbours) {
        sum += at(other).distance ^ at(other).neighbours.size();
      }
    }
    return sum;
  }

  void index() {
    for (node& one : nodes_) by_number_.push_back(&one);
  }

 private:
  node& at(std::uint32_t number) { return *by_number_[number]; }

  memory<mallard::multipool_resource> memory_;
  containers::list<node> nodes_{memory_.get()};
  std::vector<node*> by_number_;
};

// Blocks that the rest of a program leaves behind in the heap.
std::vector<std::string> make_litter(random_numbers& random) {
  std::vector<std::string> litter;
  for (int i = 0; i < 400000; ++i) litter.emplace_back(16 + random.below(100), 'x');
  for (std::size_t i = litter.size(); i-- > 1;) std::swap(litter[i], litter[random.below(i + 1)]);
  litter.resize(litter.size() / 4);
  return litter;
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(4);
  const std::vector<std::string> litter = make_litter(random);
  graph made;
  for (int i = 0; i < 200000; ++i) made.add_node(random);
  made.index();
  std::uint64_t found = litter.size();
  const std::uint64_t walks = amount(argc, argv, 60);
  for (std::uint64_t i = 0; i < walks; ++i) found += made.walk();
  return tell(found);
}
