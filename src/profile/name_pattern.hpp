// A regular expression, searched for in names or lines. Only one file instantiates std::regex,
// because that takes longer to compile than the rest of a file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mallard::profile {

class name_pattern {
 public:
  // ECMAScript without back-references. Throws std::invalid_argument for a malformed one.
  explicit name_pattern(const std::string& text);

  // Polynomial time. Throws std::invalid_argument if the standard library gives up.
  bool is_in(const std::string& name) const;

 protected:
  struct compiled;
  explicit name_pattern(compiled made);

  std::shared_ptr<const compiled> compiled_;
};

// A pattern for lines, which are short: all of ECMAScript.
class line_pattern : private name_pattern {
 public:
  // Throws std::invalid_argument for a malformed one.
  explicit line_pattern(const std::string& text);

  struct match {
    std::string_view found;   // by the first group, or by the whole pattern if it has none
    std::string_view behind;  // the rest of the line; empty for an empty match
  };
  // The first match. Time and stack grow with the line. Throws std::invalid_argument if the
  // standard library gives up.
  std::optional<match> first_in(std::string_view line) const;
};

bool is_name_pattern(const std::string& text);

}  // namespace mallard::profile
