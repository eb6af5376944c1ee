// All that a function allocates from a heap of its own, though none of its containers takes an
// allocator; what outlives the function is an ordinary block.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "mallard/malloc/malloc_scope.hpp"

namespace {

// Somebody else's code.
std::map<std::string, std::size_t> words_of(std::string_view text) {
  std::map<std::string, std::size_t> words;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    ++words[std::string(text.substr(0, end))];
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

std::unique_ptr<std::string> most_frequent(std::string_view text) {
  mallard::malloc_scope scope;  // from here on malloc and new draw from a heap of the scope's own
  std::unique_ptr<std::string> found;
  {
    const auto words = words_of(text);
    std::size_t most = 0;
    for (const auto& [word, count] : words) {
      if (count <= most) continue;
      most = count;
      found = std::make_unique<std::string>(word);
    }
  }
  std::printf("surviving blocks: %zu\n", scope.end());
  return found;
}

}  // namespace

int main() {
  const auto found =
      most_frequent("it was the best of times it was the worst of times it was the age of wisdom");
  std::printf("%s\n", found->c_str());
  return *found == "it" ? 0 : 1;
}
