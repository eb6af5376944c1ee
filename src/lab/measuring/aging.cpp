#include "lab/measuring/aging.hpp"

#include <cstdlib>
#include <list>
#include <string>
#include <vector>

#include "lab/measuring/random.hpp"

namespace mallard::lab {
namespace {

using list = std::list<std::string>;

// Keeps the compiler from leaving out unused blocks.
void* volatile seen_block;

std::string random_string(random_stream& random) {
  const std::uint32_t length = 25 + random.below(104);
  return std::string(length, static_cast<char>('a' + random.below(26)));
}

void churn(std::vector<list>& lists, std::size_t steps, random_stream& random) {
  const auto count = static_cast<std::uint32_t>(lists.size());
  for (std::size_t step = 0; step < steps; ++step) {
    std::size_t from = random.below(count);
    while (lists[from].empty()) from = (from + 1) % count;
    lists[from].pop_front();
    lists[step % count].push_back(random_string(random));
  }
}

// Uses the holes: fills them with blocks of the workloads' sizes and frees those in random order, a
// few times. Then requests blocks larger than any hole, which makes malloc merge its freed chunks
// and sort them into bins.
void settle(random_stream& random) {
  constexpr std::size_t rounds = 4;
  constexpr std::size_t blocks = 1U << 16;
  std::vector<void*> held(blocks);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (void*& block : held) {
      block = std::malloc(16 + random.below(1024));
      seen_block = block;
    }
    shuffle(held, random);
    for (void* block : held) std::free(block);
    for (int i = 0; i < 1000; ++i) {
      void* large = std::malloc(65536);  // small enough not to be mapped
      seen_block = large;
      std::free(large);
    }
  }
}

}  // namespace

aging_report age_heap(const aging_recipe& recipe) {
  // Never destroyed: the survivors must stay.
  static auto& survivors = *new std::vector<list>();
  random_stream random(1);
  std::vector<list> lists(recipe.lists);
  for (std::size_t i = 0; i < recipe.strings_per_list; ++i) {
    for (list& one : lists) one.push_back(random_string(random));
  }
  const std::size_t strings = recipe.lists * recipe.strings_per_list;
  churn(lists, recipe.shuffles * strings, random);

  aging_report report;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (i % 4 == 3) {
      report.strings_kept += lists[i].size();
      for (const std::string& text : lists[i]) {
        report.digest =
            report.digest * 31 + text.size() * 256 + static_cast<unsigned char>(text[0]);
      }
      survivors.push_back(std::move(lists[i]));
    }
  }
  lists.clear();
  report.strings_freed = strings - report.strings_kept;
  if (recipe.settle) settle(random);
  return report;
}

}  // namespace mallard::lab
