// Blocks of many sizes live for as long as chance has it: no call ends when they are dead, and no
// few sizes serve them. Another malloc gains without a change of the source.
#include "mallard/heap.hpp"
#include "variant.hpp"

using namespace example;

namespace {

class store {
 public:
  explicit store(std::size_t slots) : slots_(slots, slot(memory_.get()), memory_.get()) {}

  [[gnu::noinline]] std::uint64_t replace(random_numbers& random) {
    slot& one = slots_[random.below(slots_.size())];
    const std::uint64_t old = one.size();
    const std::uint64_t shift = random.below(9);
    slot(16 + random.below(std::uint64_t{16} << shift), 'x', memory_.get()).swap(one);
    return old;
  }

 private:
  using slot = containers::vector<char>;
  memory<mallard::heap_resource> memory_;
  containers::vector<slot> slots_;
};

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(9);
  store all(40000);
  return sum_of_rounds(argc, argv, 4000000, [&](std::uint64_t) { return all.replace(random); });
}
