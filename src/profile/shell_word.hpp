// A word as a shell takes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mallard::profile {

// The text that a shell takes for this one word: in quotes where it has to be.
std::string shell_word(std::string_view text);
// A command with its arguments.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace mallard::profile
