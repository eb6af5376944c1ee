#include "profile/shell_word.hpp"

#include <algorithm>
#include <cctype>

namespace mallard::profile {

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "_-+=.,:/@%";
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [&](char one) {
    return std::isalnum(static_cast<unsigned char>(one)) != 0 || plain.find(one) != plain.npos;
  });
  if (is_plain) return std::string(text);
  std::string out = "'";
  for (const char one : text) out += one == '\'' ? std::string("'\\''") : std::string(1, one);
  return out + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
  return out;
}

}  // namespace mallard::profile
