// A regular expression that is looked for in names, or in lines. The standard library's are
// instantiated in one file: that takes longer than the rest of a file that uses one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mallard::profile {

class name_pattern {
 public:
  // ECMAScript's, without back-references. Throws std::invalid_argument for what is none.
  explicit name_pattern(const std::string& text);

  // In polynomial time. Throws std::invalid_argument where the standard library gives up.
  bool is_in(const std::string& name) const;

 protected:
  struct compiled;
  explicit name_pattern(compiled made);

  std::shared_ptr<const compiled> compiled_;
};

// One that is looked for in lines, which are short: all of ECMAScript's.
class line_pattern : private name_pattern {
 public:
  // Throws std::invalid_argument for what is none.
  explicit line_pattern(const std::string& text);

  struct match {
    std::string_view found;   // by the first group, or by all where there is none
    std::string_view behind;  // the rest of the line; empty where nothing was taken
  };
  // Its first match. In time, and on a stack, that grow with the line. Throws std::invalid_argument
  // where the standard library gives up.
  std::optional<match> first_in(std::string_view line) const;
};

bool is_name_pattern(const std::string& text);

}  // namespace mallard::profile
