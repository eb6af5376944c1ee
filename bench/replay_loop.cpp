// The cost of a replay's loop beside what it measures: operations of which none is done.
//
//   mallard_replay_loop [operations]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "replay/run.hpp"

namespace {

using namespace mallard::replay;

// A program with as many live blocks, which are freed in random order.
program make_program(std::uint64_t operations, std::uint32_t live) {
  std::mt19937_64 random(1);
  program made;
  made.lanes.resize(1);
  std::vector<std::uint32_t> sizes(live);
  for (std::uint64_t i = 0; i < operations; ++i) {
    const auto slot = static_cast<std::uint32_t>(random() % live);
    const bool own = random() % 2 != 0;
    operation one;
    if (sizes[slot] == 0) {
      sizes[slot] = 1 + static_cast<std::uint32_t>(random() % 512);
      one = operation::make(verb::allocate, slot, sizes[slot], 3);
    } else {
      one = operation::make(verb::free, slot, sizes[slot], 3);
      sizes[slot] = 0;
    }
    if (own) one.what |= operation::own_bit;
    made.lanes[0].push_back(one);
  }
  made.facts.operations = operations;
  made.facts.slots = live;
  return made;
}

[[noreturn]] void fail(std::string_view why) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(why.size()), why.data());
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t operations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4'000'000;
  for (const std::uint32_t live : {100u, 10'000u, 1'000'000u}) {
    const shared_program shared(make_program(operations, live));
    const program_view view(shared.file());
    std::vector<double> ns;
    for (int i = 0; i < 15; ++i) {
      const run_result result = find_run(loop_strategy, no_library)(view, {}, fail);
      if (result.done != operations) fail("operations are missing");
      ns.push_back(result.seconds / static_cast<double>(operations) * 1e9);
    }
    std::sort(ns.begin(), ns.end());
    std::printf("%8u live blocks: %.2f ns an operation (best %.2f), goal 5\n", live,
                ns[ns.size() / 2], ns.front());
  }
}
