// Quotes words for a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mallard::profile {

// The word, quoted if necessary.
std::string shell_word(std::string_view text);
// A command with its arguments.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace mallard::profile
