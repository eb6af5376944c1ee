#include "profile/name_pattern.hpp"

#include <regex>
#include <stdexcept>

namespace mallard::profile {

namespace {

// A pattern must not take longer than the trace. libstdc++ has a polynomial-time matcher, which
// lacks back-references. libc++ counts its steps and gives up.
#if defined(__GLIBCXX__)
constexpr auto syntax = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto syntax = std::regex::ECMAScript;
#endif

std::regex made_of(const std::string& text, std::regex::flag_type how) try {
  return std::regex(text, how);
} catch (const std::regex_error&) {
  throw std::invalid_argument("'" + text + "' is not a regular expression");
}

std::invalid_argument takes_too_long(const std::string& text) {
  return std::invalid_argument("'" + text + "' takes too long to match");
}

}  // namespace

struct name_pattern::compiled {
  std::string text;
  std::regex wanted;
};

name_pattern::name_pattern(compiled made)
    : compiled_(std::make_shared<const compiled>(std::move(made))) {}

name_pattern::name_pattern(const std::string& text)
    : name_pattern(compiled{text, made_of(text, syntax)}) {}

line_pattern::line_pattern(const std::string& text)
    : name_pattern(compiled{text, made_of(text, std::regex::ECMAScript)}) {}

std::optional<line_pattern::match> line_pattern::first_in(std::string_view line) const try {
  const auto view = [](const std::csub_match& part) {
    return part.matched ? std::string_view(part.first, part.second) : std::string_view();
  };
  std::cmatch all;
  if (!std::regex_search(line.data(), line.data() + line.size(), all, compiled_->wanted)) return {};
  return match{view(all[all.size() > 1 ? 1 : 0]),
               all.length() > 0 ? view(all.suffix()) : std::string_view()};
} catch (const std::regex_error&) {
  throw takes_too_long(compiled_->text);
}

bool name_pattern::is_in(const std::string& name) const {
  try {
    return std::regex_search(name, compiled_->wanted);
  } catch (const std::regex_error&) {
    throw takes_too_long(compiled_->text);
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
