#include "advise/declaration.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

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

bool is_default(std::string_view argument) {
  static constexpr std::string_view of_library[] = {"std::allocator<", "std::less<", "std::hash<",
                                                    "std::equal_to<", "std::char_traits<"};
  return std::any_of(std::begin(of_library), std::end(of_library),
                     [&](std::string_view one) { return argument.starts_with(one); });
}

// "order" of "<order, std::allocator<order> >".
std::string own_arguments(std::string_view list) {
  std::string out;
  int depth = 0;
  std::size_t from = 1;
  for (std::size_t i = 1; i < list.size(); ++i) {
    const bool ends = depth == 0 && (list[i] == ',' || i + 1 == list.size());
    if (ends) {
      const std::string_view one = trimmed(list.substr(from, i - from));
      if (!is_default(one)) out += (out.empty() ? "" : ", ") + std::string(one);
      from = i + 1;
    }
    if (list[i] == '<' || list[i] == '(') ++depth;
    if (list[i] == '>' || list[i] == ')') --depth;
  }
  return out;
}

container_type container_in(std::string_view name) {
  for (const std::string_view kind : kinds) {
    for (std::size_t at = name.find(kind); at != name.npos; at = name.find(kind, at + 1)) {
      const std::string_view before = name.substr(0, at);
      const std::size_t open = at + kind.size();
      const bool of_library = before.ends_with("std::") || before.ends_with("std::__cxx11::") ||
                              before.ends_with("std::__1::");
      if (!of_library || open >= name.size() || name[open] != '<') continue;
      const std::size_t end = behind_brackets(name, open);
      if (end == name.npos) continue;
      if (kind == "basic_string") return {"string", ""};
      return {std::string(kind), own_arguments(name.substr(open, end - open))};
    }
  }
  return {};
}

// "order" of "(anonymous namespace)::order, int": in the source it may have no namespace.
std::string_view last_name(std::string_view arguments) {
  std::size_t end = 0, from = 0;
  for (; end < arguments.size() && arguments[end] != ',' && arguments[end] != '<'; ++end) {
    if (!is_of_name(arguments[end])) from = end + 1;
  }
  return arguments.substr(from, end - from);
}

std::optional<changed_line> change(std::string_view text, const container_type& of) {
  const std::string wanted = "std::" + of.kind;
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
  out.after = std::string(left) + (left.empty() ? "" : " ") + "std::pmr::" + type.substr(5) + ' ' +
              name + made;
  return out;
}

}  // namespace

std::string container_type::in(std::string_view name_space) const {
  if (kind.empty()) return {};
  std::string out(name_space);
  out += kind;
  if (!arguments.empty()) out += '<' + arguments + '>';
  return out;
}

container_type container_of_stack(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    container_type found = container_in(name);
    if (!found.kind.empty()) return found;
  }
  return {};
}

std::optional<changed_line> change_declaration(const std::string& source, std::uint32_t line,
                                               const container_type& of) {
  if (of.kind.empty() || line == 0) return {};
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
