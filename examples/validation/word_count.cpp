// Words are counted in a table that is full after a moment: it allocates little from then on, and
// the right answer is to leave it.
#include "mallard/multipool.hpp"
#include "variant.hpp"

using namespace example;

namespace {

class counter {
 public:
  [[gnu::noinline]] void count(std::uint64_t word) { ++counts_[word]; }
  std::uint64_t most() const {
    std::uint64_t out = 0;
    for (const auto& [word, times] : counts_) out = std::max(out, times ^ word);
    return out;
  }

 private:
  memory<mallard::multipool_resource> memory_;
  containers::unordered_map<std::uint64_t, std::uint64_t> counts_{memory_.get()};
};

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(8);
  counter words;
  const std::uint64_t rounds = amount(argc, argv, 30000000);
  for (std::uint64_t i = 0; i < rounds; ++i) words.count(random.below(3000));
  return tell(words.most());
}
