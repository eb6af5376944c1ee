#include "advise/block_type.hpp"

#include <algorithm>

namespace mallard::advise {
namespace {

// Names before the '<' after which the type stands, the most telling first.
constexpr std::string_view makers[] = {
    "std::make_unique",
    "std::make_shared",
    "std::allocate_shared",
    "std::vector",
    "std::__cxx11::list",
    "std::list",
    "std::map",
    "std::multimap",
    "std::set",
    "std::multiset",
    "std::unordered_map",
    "std::unordered_set",
    "std::deque",
    "std::forward_list",
    "std::__cxx11::basic_string",
    "std::basic_string",
    "std::__new_allocator",
    "__gnu_cxx::new_allocator",
    "std::allocator",
    "std::__1::vector",
    "std::__1::list",
    "std::__1::map",
    "std::__1::set",
    "std::__1::unordered_map",
    "std::__1::allocator",
};

bool is_of_the_library(std::string_view type) {
  return type.find("_node") != type.npos || type.find("_Node") != type.npos ||
         type.find("_Sp_counted") != type.npos || type.starts_with("std::_") ||
         type.starts_with("std::__");
}

}  // namespace

std::string_view first_argument(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(') ++depth;
    if (depth == 0 && (c == ',' || c == '>')) return text.substr(0, i);
    if (c == '>' || c == ')') --depth;
  }
  return {};
}

std::string type_in(std::string_view name) {
  for (const std::string_view maker : makers) {
    for (std::size_t at = name.find(maker); at != name.npos; at = name.find(maker, at + 1)) {
      const std::size_t open = at + maker.size();
      if (open >= name.size() || name[open] != '<') continue;
      if (at > 0 && (std::isalnum(static_cast<unsigned char>(name[at - 1])) != 0 ||
                     name[at - 1] == '_' || name[at - 1] == ':')) {
        continue;
      }
      std::string_view type = first_argument(name.substr(open + 1));
      while (type.ends_with(' ')) type.remove_suffix(1);
      if (!type.empty() && type != "void" && !is_of_the_library(type)) return std::string(type);
    }
  }
  return {};
}

std::string type_of_stack(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::string type = type_in(name);
    if (!type.empty()) return type;
  }
  return {};
}

}  // namespace mallard::advise
