#include "advise/declaration.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

#include "advise/block_type.hpp"

// A declaration is looked for as text, since no compiler's tree is at hand: the container's name
// with its arguments, a name, and what makes it. Nothing is said where the line goes on, or has
// more than one declaration; a wrong change would not compile, but would cost the reader's trust.

namespace mallard::advise {
namespace {

constexpr std::string_view kinds[] = {"unordered_multimap",
                                      "unordered_multiset",
                                      "unordered_map",
                                      "unordered_set",
                                      "forward_list",
                                      "multimap",
                                      "multiset",
                                      "basic_string",
                                      "vector",
                                      "deque",
                                      "list",
                                      "map",
                                      "set"};
constexpr std::string_view builtin_words[] = {"bool",  "char",   "short",  "int",     "long",
                                              "float", "double", "signed", "unsigned"};
constexpr std::string_view library_namespaces[] = {"std::", "std::__cxx11::", "std::__1::"};
constexpr std::pair<std::string_view, std::string_view> pointers[] = {
    {"std::make_unique<", "unique_ptr"}, {"std::make_shared<", "shared_ptr"}};
// A declaration further away is seldom the one.
constexpr std::uint32_t most_lines_above = 120;

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// The place behind the bracket that closes the one at `from`; npos: there is none.
std::size_t behind_brackets(std::string_view text, std::size_t from) {
  constexpr std::string_view opening = "<({", closing = ">)}";
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (opening.find(text[i]) != opening.npos) ++depth;
    if (closing.find(text[i]) != closing.npos && --depth == 0) return i + 1;
  }
  return text.npos;
}

constexpr std::string_view allocator_of_pmr = "std::pmr::polymorphic_allocator<";

bool is_default(std::string_view argument) {
  static constexpr std::string_view of_library[] = {"std::allocator<",   "std::less<",
                                                    "std::hash<",        "std::equal_to<",
                                                    "std::char_traits<", allocator_of_pmr};
  return std::any_of(std::begin(of_library), std::end(of_library),
                     [&](std::string_view one) { return argument.starts_with(one); });
}

// The kind whose name, with its namespace, ends right before `open`; empty: there is none.
std::string_view kind_before(std::string_view text, std::size_t open) {
  for (const std::string_view kind : kinds) {
    if (open < kind.size() || text.substr(open - kind.size(), kind.size()) != kind) continue;
    const std::string_view before = text.substr(0, open - kind.size());
    for (const std::string_view space : library_namespaces) {
      if (before.ends_with(space)) return kind;
    }
  }
  return {};
}

std::string own_arguments(std::string_view list);

// "std::vector<std::string>" of the same with namespaces of the library's own and allocators.
std::string as_written(std::string_view type) {
  const std::size_t open = type.find('<');
  if (open == type.npos || behind_brackets(type, open) != type.size()) return std::string(type);
  const std::string_view kind = kind_before(type, open);
  if (kind == "basic_string") return "std::string";
  if (kind.empty() && !type.starts_with("std::")) return std::string(type);
  const std::string name(kind.empty() ? type.substr(5, open - 5) : kind);
  return "std::" + name + '<' + own_arguments(type.substr(open)) + '>';
}

// "order" of "<order, std::allocator<order> >".
std::string own_arguments(std::string_view list) {
  std::string out;
  for (std::size_t from = 1; from < list.size();) {
    const std::string_view whole = first_argument(list.substr(from));
    const std::string_view one = trimmed(whole);
    if (!is_default(one)) out += (out.empty() ? "" : ", ") + as_written(one);
    from += whole.size() + 1;
  }
  return out;
}

// Whether the container itself does, whatever its elements do.
bool has_pmr_allocator(std::string_view list) {
  for (std::size_t from = 1; from < list.size();) {
    const std::string_view one = first_argument(list.substr(from));
    if (trimmed(one).starts_with(allocator_of_pmr)) return true;
    from += one.size() + 1;
  }
  return false;
}

// The container whose member the function is. One among its parameters does not allocate.
container_type container_in(std::string_view name) {
  for (std::size_t open = name.find('<'); open != name.npos;) {
    const std::size_t end = behind_brackets(name, open);
    if (end == name.npos) break;
    const std::string_view kind = kind_before(name, open);
    if (!kind.empty() && name.substr(end).starts_with("::")) {
      const std::string_view list = name.substr(open, end - open);
      const bool is_pmr = has_pmr_allocator(list);
      if (kind == "basic_string") return {"string", "", is_pmr};
      return {std::string(kind), own_arguments(list), is_pmr};
    }
    open = name.find('<', end);
  }
  return {};
}

// "order" of "std::make_unique<order, int>(int&&)".
container_type pointer_in(std::string_view name) {
  for (const auto& [maker, kind] : pointers) {
    const std::size_t at = name.find(maker);
    if (at == name.npos || (at > 0 && name[at - 1] != ' ')) continue;
    const std::size_t open = at + maker.size() - 1;
    const std::size_t end = behind_brackets(name, open);
    if (end == name.npos) continue;
    return {std::string(kind), as_written(trimmed(first_argument(name.substr(open + 1))))};
  }
  return {};
}

// A result before the name, and parameters behind it, are nobody's name.
bool is_of_library(std::string_view function) {
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    if (depth == 0 && c == '(') break;
    if (depth == 0 && c == ' ') from = i + 1;
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
  }
  const std::string_view name = function.substr(from);
  return name.starts_with("std::") || name.starts_with("__gnu_cxx::") ||
         function.starts_with("operator new");
}

// "order" of "(anonymous namespace)::order, int": in the source it may have no namespace.
std::string_view last_name(std::string_view arguments) {
  std::size_t end = 0, from = 0;
  for (; end < arguments.size() && arguments[end] != ',' && arguments[end] != '<'; ++end) {
    if (!is_of_name(arguments[end])) from = end + 1;
  }
  return arguments.substr(from, end - from);
}

// The same arguments with the library's containers in another of its namespaces.
std::string moved_to(std::string_view arguments, std::string_view name_space) {
  std::string out(arguments);
  const auto move = [&](std::string_view kind) {
    const std::string from = "std::" + std::string(kind);
    for (std::size_t at = out.find(from); at != out.npos; at = out.find(from, at + 1)) {
      const std::size_t end = at + from.size();
      if (end < out.size() && is_of_name(out[end])) continue;
      if (at > 0 && (is_of_name(out[at - 1]) || out[at - 1] == ':')) continue;
      out.replace(at, 5, name_space);
    }
  };
  for (const std::string_view kind : kinds) move(kind);
  move("string");
  return out;
}

std::optional<changed_line> change(std::string_view text, const container_type& of) {
  const std::string wanted = (of.is_pmr ? "std::pmr::" : "std::") + of.kind;
  const std::size_t at = text.find(wanted);
  if (at == text.npos || text.find("//") < at) return {};
  if (at > 0 && (is_of_name(text[at - 1]) || text[at - 1] == ':' || text[at - 1] == '<')) return {};
  std::size_t end = at + wanted.size();
  if (of.kind != "string") {
    if (end >= text.size() || text[end] != '<') return {};
    end = behind_brackets(text, end);
    if (end == text.npos) return {};
  }
  if (end >= text.size() || text[end] != ' ') return {};
  const std::string type(text.substr(at, end - at));
  if (type.find(last_name(of.arguments)) == type.npos) return {};
  std::size_t name_end = ++end;
  while (name_end < text.size() && is_of_name(text[name_end])) ++name_end;
  if (name_end == end || name_end >= text.size()) return {};
  const std::string name(text.substr(end, name_end - end));
  std::string_view rest = trimmed(text.substr(name_end));
  std::string made;
  if (rest == ";" || rest == "{};") {
    made = "{&resource};";
  } else if (rest.front() == '(' || rest.front() == '{') {
    const std::size_t closed = behind_brackets(rest, 0);
    if (closed == rest.npos || rest.substr(closed) != ";") return {};
    made = std::string(rest.substr(0, closed - 1)) + ", &resource" + rest[closed - 1] + ';';
  } else {
    return {};
  }
  changed_line out;
  out.before = trimmed(text);
  const std::string_view left = trimmed(text.substr(0, at));
  out.after = std::string(left) + (left.empty() ? "" : " ") + moved_to(type, "std::pmr::") + ' ' +
              name + made;
  return out;
}

// Its names, one by one.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (end > i) out.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  return out;
}

template <std::size_t count>
bool contains(const std::string_view (&all)[count], std::string_view one) {
  return std::find(std::begin(all), std::end(all), one) != std::end(all);
}

// multimap is declared where map is.
std::string header_of(std::string_view kind) {
  const std::size_t multi = kind.find("multi");
  std::string out(kind);
  return multi == kind.npos ? out : out.erase(multi, 5);
}

}  // namespace

std::string container_type::in(std::string_view name_space) const {
  if (kind.empty()) return {};
  std::string out(name_space);
  out += kind;
  if (!arguments.empty()) out += '<' + moved_to(arguments, name_space) + '>';
  return out;
}

bool container_type::is_of_library_alone() const {
  const std::vector<std::string_view> words = words_of(arguments);
  return !kind.empty() && !is_pointer() && std::all_of(words.begin(), words.end(), [](auto word) {
    return contains(builtin_words, word) || contains(kinds, word) || word == "std" ||
           word == "string";
  });
}

std::vector<std::string> container_type::headers() const {
  std::set<std::string> out;
  const std::string all = kind + ' ' + arguments;
  for (const std::string_view word : words_of(all)) {
    if (word == "string" || contains(kinds, word)) out.insert(header_of(word));
  }
  return {out.begin(), out.end()};
}

container_type container_of_stack(const std::vector<std::string>& names) {
  container_type found;
  for (const std::string& name : names) {
    if (!found.kind.empty() && !is_of_library(name)) break;
    container_type one = container_in(name);
    if (one.kind.empty()) one = pointer_in(name);
    if (one.kind.empty()) continue;
    const bool holds_found =
        !one.is_pointer() && one.arguments.find(found.in("std::")) != std::string::npos;
    if (found.kind.empty() || holds_found) found = std::move(one);
  }
  return found;
}

std::optional<changed_line> change_declaration(const std::string& source, std::uint32_t line,
                                               const container_type& of) {
  if (of.kind.empty() || of.is_pointer() || line == 0) return {};
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= source.size() && lines.size() < line;) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    lines.push_back(std::string_view(source).substr(at, end - at));
    at = end + 1;
  }
  if (lines.size() < line) return {};
  const std::uint32_t last = line > most_lines_above ? line - most_lines_above : 0;
  for (std::uint32_t i = line; i > last; --i) {
    if (auto found = change(lines[i - 1], of)) {
      found->line = i;
      return found;
    }
  }
  return {};
}

}  // namespace mallard::advise
