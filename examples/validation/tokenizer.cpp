// Text is cut into tokens, which go into arrays that grow as they are filled.
#include <cctype>
#include <string_view>

#include "mallard/monotonic.hpp"
#include "variant.hpp"

using namespace example;

namespace {

struct token {
  explicit token(const allocator& from) : text(from) {}
  containers::string text;
  std::uint32_t line = 0;
};

std::string make_text(random_numbers& random) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text.append(1 + random.below(24), static_cast<char>('a' + random.below(26)));
    text += random.below(8) == 0 ? '\n' : ' ';
  }
  return text;
}

[[gnu::noinline]] std::uint64_t tokenize(std::string_view text) {
  memory<mallard::monotonic_resource> arena(262144);
  containers::vector<containers::vector<std::uint32_t>> lines(arena.get());
  containers::vector<std::uint32_t> lengths(arena.get());
  containers::list<token> tokens(arena.get());
  lines.emplace_back();
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!tokens.empty()) lengths.push_back(static_cast<std::uint32_t>(tokens.back().text.size()));
      tokens.emplace_back(arena.get()).line = static_cast<std::uint32_t>(lines.size());
      lines.back().push_back(static_cast<std::uint32_t>(tokens.size()));
      if (c == '\n') lines.emplace_back();
    } else {
      if (tokens.empty()) tokens.emplace_back(arena.get());
      tokens.back().text += c;
    }
  }
  return tokens.size() + lines.size() + lengths[lengths.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(5);
  const std::string text = make_text(random);
  return sum_of_rounds(argc, argv, 2500, [&](std::uint64_t) { return tokenize(text); });
}
