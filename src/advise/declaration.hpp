// The declaration to change, in the user's own source: that of the container which allocates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::advise {

// "vector" and "order" of std::vector<order, std::allocator<order>>; "unique_ptr" and "order" of
// std::make_unique<order>.
struct container_type {
  std::string kind;       // empty: not known
  std::string arguments;  // without allocators, hashes and comparisons of the library's
  bool is_pmr = false;    // it takes a resource already

  // "std::pmr::vector<std::pmr::string>": containers in the arguments as well.
  std::string in(std::string_view name_space) const;
  std::string as_it_is() const { return in(is_pmr ? "std::pmr::" : "std::"); }
  // It has no types but the language's and the library's, so it compiles anywhere.
  bool is_of_library_alone() const;
  // The library's headers that declare it, and the containers in its arguments: "map", "string".
  std::vector<std::string> headers() const;
  // std::make_unique or std::make_shared makes a single object.
  bool is_pointer() const { return kind == "unique_ptr" || kind == "shared_ptr"; }
};

// The container or maker of the standard library's that asks for memory, by the names of a stack's
// functions, innermost first. A container that fills an element, as a vector its strings, stands
// for it: the element takes the container's resource.
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
