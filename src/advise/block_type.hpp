// The type of object that a stack allocates, as far as the names of the library's functions tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mallard::advise {

// "order" of "order, int>(int&&)": up to the comma or bracket that ends it, or nothing where none
// does.
std::string_view first_argument(std::string_view arguments);

// "order" of "std::make_unique<order, int>(int&&)", of "std::__new_allocator<order>::allocate", of
// "std::vector<order, ...>::push_back"; nothing where the name says none.
std::string type_in(std::string_view function_name);

// Takes a stack's names, innermost first, and returns what the innermost of them that says
// something says. The nodes of a container are of no use to anybody who reads code: they are passed
// over for the container's own type.
std::string type_of_stack(const std::vector<std::string>& names);

}  // namespace mallard::advise
