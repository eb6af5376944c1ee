// Points in space are put into a tree of eighths for each picture; the tree is asked, and dropped.
#include <array>

#include "variant.hpp"

using namespace example;

namespace {

struct point {
  std::uint32_t x, y, z;
};

struct cell {
  std::array<cell*, 8> parts{};
  point at{};
  std::uint32_t points = 0;
};

class tree {
 public:
  explicit tree(allocator from) : cells_(from) { root_ = &cells_.emplace_back(); }

  void add(const point& one) {
    cell* here = root_;
    for (unsigned bit = 20; bit-- > 0;) {
      if (here->points++ == 0) {
        here->at = one;
        return;
      }
      here = part(*here, one, bit);
    }
    ++here->points;
  }
  std::uint64_t depth() const { return depth_of(*root_); }

 private:
  cell* part(cell& of, const point& one, unsigned bit) {
    const std::size_t which =
        (one.x >> bit & 1) | (one.y >> bit & 1) << 1 | (one.z >> bit & 1) << 2;
    if (of.parts[which] == nullptr) of.parts[which] = &cells_.emplace_back();
    return of.parts[which];
  }
  static std::uint64_t depth_of(const cell& one) {
    std::uint64_t deepest = 0;
    for (const cell* part : one.parts) {
      if (part != nullptr) deepest = std::max(deepest, depth_of(*part));
    }
    return deepest + 1;
  }

  containers::list<cell> cells_;
  cell* root_;
};

[[gnu::noinline]] std::uint64_t picture(random_numbers& random) {
  memory<mallard::monotonic_resource> arena(1u << 20);
  tree space(arena.get());
  for (int i = 0; i < 20000; ++i) {
    const auto coordinate = [&] { return static_cast<std::uint32_t>(random.below(1u << 20)); };
    const std::uint32_t x = coordinate();
    const std::uint32_t y = coordinate();
    space.add({x, y, coordinate()});
  }
  return space.depth();
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(18);
  return sum_of_rounds(argc, argv, 200, [&](std::uint64_t) { return picture(random); });
}
