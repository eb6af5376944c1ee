// The declaration to change, in the user's own source: that of the container which allocates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::advise {

// "vector" and "order" of std::vector<order, std::allocator<order>>.
struct container_type {
  std::string kind;       // empty: not known
  std::string arguments;  // without allocators, hashes and comparisons of the library's

  // "std::pmr::vector<order>".
  std::string in(std::string_view name_space) const;
};

// The innermost container of the standard library's on a stack, by the functions' names, innermost
// first.
container_type container_of_stack(const std::vector<std::string>& names);

struct changed_line {
  std::uint32_t line = 0;
  std::string before, after;  // without what is left of it
};

// The nearest declaration of such a container at the line or above it, in the source's text, and
// the same with `resource`. Not set where there is none that could be changed in its line.
std::optional<changed_line> change_declaration(const std::string& source, std::uint32_t line,
                                               const container_type& of);

}  // namespace mallard::advise
