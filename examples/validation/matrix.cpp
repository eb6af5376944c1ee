// Numbers in arrays that are allocated once: there is nothing to gain, and the right answer is to
// leave it.
#include "mallard/monotonic.hpp"
#include "variant.hpp"

using namespace example;

namespace {

using row = containers::vector<double>;

[[gnu::noinline]] std::uint64_t multiply(std::size_t size, random_numbers& random) {
  memory<mallard::monotonic_resource> arena;
  containers::vector<row> a(arena.get()), b(arena.get());
  for (std::size_t i = 0; i < size; ++i) {
    for (auto* of : {&a, &b}) {
      row& one = of->emplace_back();
      for (std::size_t k = 0; k < size; ++k) one.push_back(static_cast<double>(random.below(10)));
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      double cell = 0;
      for (std::size_t k = 0; k < size; ++k) cell += a[i][k] * b[j][k];
      sum += cell;
    }
  }
  return static_cast<std::uint64_t>(sum);
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(7);
  return sum_of_rounds(argc, argv, 12, [&](std::uint64_t) { return multiply(400, random); });
}
