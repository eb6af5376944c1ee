// Scratch memory for the time of a function: nested scopes, one arena for the thread. What a
// function returns goes into memory that its caller has passed.
#include <cstdio>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "mallard/allocator.hpp"
#include "mallard/copy.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/scratch.hpp"

std::span<std::string_view> words_of(std::string_view text, mallard::monotonic_resource& results) {
  mallard::scratch_scope scratch;
  std::vector<std::string_view, mallard::allocator<std::string_view, mallard::scratch_scope>> words(
      &scratch);
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    words.push_back(mallard::copy_string(results, text.substr(0, end)));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return mallard::copy_span(results, words);
}

int main() {
  mallard::monotonic_resource results;
  mallard::scratch_scope scratch;
  std::pmr::vector<std::span<std::string_view>> lines(&scratch);
  lines.reserve(2);
  lines.push_back(words_of("a line of words", results));
  lines.push_back(words_of("and another", results));
  for (const auto& line : lines)
    std::printf("%zu words, the first is %s\n", line.size(), line[0].data());
  return lines[0].size() == 4 && lines[1][1] == "another" ? 0 : 1;
}
