// An index of words: each has a list of the pages that it is on. It is made anew for each book.
#define EXAMPLE_BINDS_ITS_THREAD
#include "variant.hpp"

using namespace example;

namespace {

[[gnu::noinline]] std::uint64_t index_book(random_numbers& random) {
  memory<mallard::monotonic_resource> arena(1u << 20);
  containers::unordered_map<containers::string, containers::vector<std::uint32_t>> pages(
      arena.get());
  for (std::uint32_t i = 0; i < 30000; ++i) {
    // Words are the rarer the later they stand in the dictionary.
    const std::uint64_t most = 1 + random.below(5000);
    const auto word = numbered("word-in-the-dictionary-", random.below(most), arena.get());
    pages[containers::string(word, arena.get())].push_back(i / 300);
  }
  std::uint64_t longest = 0;
  for (const auto& [each, on] : pages) longest = std::max<std::uint64_t>(longest, on.size());
  return longest + pages.size();
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(21);
  return sum_of_rounds(argc, argv, 250, [&](std::uint64_t) { return index_book(random); });
}
