// A regular expression that is looked for in names. The standard library's are instantiated in one
// file: that takes longer than the rest of a file that uses one.
#pragma once

#include <memory>
#include <string>

namespace mallard::profile {

class name_pattern {
 public:
  // ECMAScript's, without back-references. Throws std::invalid_argument for what is none.
  explicit name_pattern(const std::string& text);

  // In polynomial time. Throws std::invalid_argument where the standard library gives up.
  bool is_in(const std::string& name) const;

 private:
  struct compiled;
  std::shared_ptr<const compiled> compiled_;
};

bool is_name_pattern(const std::string& text);

}  // namespace mallard::profile
