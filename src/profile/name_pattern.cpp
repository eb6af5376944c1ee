#include "profile/name_pattern.hpp"

#include <regex>
#include <stdexcept>

namespace mallard::profile {

namespace {

// Nobody who writes a pattern means it to take longer than the trace: libstdc++ is asked for the
// way whose time is polynomial, which knows no back-references; libc++ counts its steps and gives
// up.
#if defined(__GLIBCXX__)
constexpr auto syntax = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto syntax = std::regex::ECMAScript;
#endif

}  // namespace

struct name_pattern::compiled {
  std::string text;
  std::regex wanted;
};

name_pattern::name_pattern(const std::string& text) try
    : compiled_(std::make_shared<const compiled>(compiled{text, std::regex(text, syntax)})) {
} catch (const std::regex_error&) {
  throw std::invalid_argument("'" + text + "' is not a regular expression");
}

bool name_pattern::is_in(const std::string& name) const {
  try {
    return std::regex_search(name, compiled_->wanted);
  } catch (const std::regex_error&) {
    throw std::invalid_argument("'" + compiled_->text + "' takes too long to look for");
  }
}

bool is_name_pattern(const std::string& text) {
  try {
    const name_pattern tried(text);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace mallard::profile
