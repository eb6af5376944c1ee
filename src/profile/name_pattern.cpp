#include "profile/name_pattern.hpp"

#include <regex>
#include <stdexcept>

namespace mallard::profile {

struct name_pattern::compiled {
  std::regex wanted;
};

name_pattern::name_pattern(const std::string& text) try
    : compiled_(std::make_shared<const compiled>(std::regex(text))) {
} catch (const std::regex_error&) {
  throw std::invalid_argument("'" + text + "' is not a regular expression");
}

bool name_pattern::is_in(const std::string& name) const {
  return std::regex_search(name, compiled_->wanted);
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
