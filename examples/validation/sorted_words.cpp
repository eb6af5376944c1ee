// Words of a text are copied, sorted, counted, and dropped.
#include <algorithm>
#include <string_view>

#include "variant.hpp"

using namespace example;

namespace {

[[gnu::noinline]] std::uint64_t different_words(std::string_view text) {
  memory<mallard::monotonic_resource> arena(1u << 20);
  containers::vector<containers::string> words(arena.get());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::sort(words.begin(), words.end());
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < words.size(); ++i) found += i == 0 || words[i] != words[i - 1];
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(14);
  std::string text;
  for (int i = 0; i < 10000; ++i) {
    text += "a-rather-long-word-number-" + std::to_string(random.below(3000)) + ' ';
  }
  return sum_of_rounds(argc, argv, 250, [&](std::uint64_t) { return different_words(text); });
}
