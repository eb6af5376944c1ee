#include "whatif/pattern.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "profile/function_names.hpp"

namespace mallard::whatif {
namespace {

template <class... Arguments>
[[noreturn]] void fail(const whatif_route& of, fmt::format_string<Arguments...> text,
                       Arguments&&... arguments) {
  throw std::runtime_error(fmt::format("route '{}={}': {}", of.pattern, of.strategy,
                                       fmt::format(text, std::forward<Arguments>(arguments)...)));
}

strategy strategy_of(const whatif_route& from) {
  if (const auto found = find_strategy(from.strategy); found && is_route(*found)) return *found;
  fail(from, "unknown strategy '{}' (known: {})", from.strategy, fmt::join(strategy_names(), ", "));
}

// The index of the text in the list, which it is added to.
template <class List, class Text, class Make>
std::size_t index_in(List& list, std::size_t most, const whatif_route& from, const Text& is,
                     const Make& make) {
  const auto found = std::find_if(list.begin(), list.end(), is);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  if (list.size() == most) fail(from, "more than {} conditions of one kind", most);
  list.push_back(make());
  return list.size() - 1;
}

std::uint64_t number(const whatif_route& from, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    fail(from, "size:LOW-HIGH, in bytes: '{}' is not a number", text);
  }
  return value;
}

void add_sizes(const whatif_route& from, std::string_view text, route::route_rule& rule) {
  const std::size_t dash = text.find('-');
  const std::uint64_t low = number(from, text.substr(0, dash));
  const std::uint64_t high = dash == text.npos         ? low
                             : dash + 1 == text.size() ? UINT64_MAX
                                                       : number(from, text.substr(dash + 1));
  if (low > high) fail(from, "the range of sizes from {} to {} is empty", low, high);
  rule.smallest = std::max(rule.smallest, low);
  rule.largest = std::min(rule.largest, high);
  if (rule.smallest > rule.largest) fail(from, "the ranges of sizes do not overlap");
}

std::uint32_t mark_of_function(const whatif_route& from, const std::string& text, conditions& all) {
  const std::size_t index = index_in(
      all.functions, route::marks::most_functions, from,
      [&](const function_condition& one) { return one.text == text; },
      [&] {
        try {
          return function_condition{text, profile::name_pattern(text)};
        } catch (const std::invalid_argument& wrong) {
          fail(from, "{}", wrong.what());
        }
      });
  return route::marks::of_function(index);
}

// "FILE:FIRST-LAST", or one line.
std::uint32_t mark_of_lines(const whatif_route& from, const std::string& text, conditions& all) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0)
    fail(from, "'{}' is not of the form line:FILE:FIRST-LAST", text);
  const std::string_view lines = std::string_view(text).substr(colon + 1);
  const std::size_t dash = lines.find('-');
  const std::uint64_t first = number(from, lines.substr(0, dash));
  const std::uint64_t last = dash == lines.npos ? first : number(from, lines.substr(dash + 1));
  if (first > last || last > UINT32_MAX)
    fail(from, "the range of lines from {} to {} is empty", first, last);
  const std::string whole = "line:" + text;
  const std::size_t index = index_in(
      all.functions, route::marks::most_functions, from,
      [&](const function_condition& one) { return one.text == whole; },
      [&] {
        return function_condition{whole, profile::name_pattern("."), text.substr(0, colon),
                                  static_cast<std::uint32_t>(first),
                                  static_cast<std::uint32_t>(last)};
      });
  return route::marks::of_function(index);
}

// Pieces between `+` that begin with a kind; any other `+` is part of a regular expression.
std::vector<std::string> pieces(const std::string& pattern) {
  constexpr std::array<std::string_view, 6> kinds = {
      "function:", "not:", "scope:", "module:", "size:", "line:"};
  std::vector<std::string> out(1);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = std::string_view(pattern).substr(i + 1);
    if (pattern[i] == '+' && std::any_of(kinds.begin(), kinds.end(), [&](std::string_view kind) {
          return rest.starts_with(kind);
        })) {
      out.emplace_back();
    } else {
      out.back() += pattern[i];
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> out;
  for (const strategy_facts& one : strategies) {
    if (is_route(one.is)) out.emplace_back(one.name);
  }
  return out;
}

route::route_rule parse_route(const whatif_route& from, conditions& all) {
  route::route_rule rule;
  rule.how = strategy_of(from);
  if (from.pattern.empty()) fail(from, "the pattern is empty");
  for (const std::string& piece : pieces(from.pattern)) {
    const auto after = [&](std::string_view kind) { return piece.substr(kind.size()); };
    if (piece.starts_with("scope:")) {
      const std::string name = after("scope:");
      if (name.size() >= route::name_bytes) fail(from, "the scope's name is too long");
      rule.scopes |= std::uint32_t{1} << index_in(
                         all.scopes, route::most_scopes, from,
                         [&](const std::string& one) { return one == name; }, [&] { return name; });
    } else if (piece.starts_with("module:")) {
      const std::string glob = after("module:");
      rule.marks |= route::marks::of_module(index_in(
          all.modules, route::marks::most_modules, from,
          [&](const std::string& one) { return one == glob; }, [&] { return glob; }));
    } else if (piece.starts_with("size:")) {
      add_sizes(from, after("size:"), rule);
    } else if (piece.starts_with("line:")) {
      rule.marks |= mark_of_lines(from, after("line:"), all);
    } else if (piece.starts_with("not:")) {
      rule.without |= mark_of_function(from, after("not:"), all);
    } else {
      const std::string name = piece.starts_with("function:") ? after("function:") : piece;
      rule.marks |= mark_of_function(from, name, all);
    }
  }
  if (rule.is_scoped() && rule.scopes == 0 && (rule.marks & route::marks::functions) == 0) {
    fail(from,
         "{} needs the end of a function or a scope: add function:REGEX, line:FILE:FIRST-LAST or "
         "scope:NAME",
         from.strategy);
  }
  return rule;
}

bool function_condition::holds_for(const std::string& name, const std::string& in_file,
                                   std::uint32_t line) const {
  if (file.empty()) return pattern.is_in(name) || pattern.is_in(profile::short_name(name));
  return line >= first_line && line <= last_line && in_file.ends_with(file) &&
         (in_file.size() == file.size() || in_file[in_file.size() - file.size() - 1] == '/');
}

bool is_module(const std::string& path, const std::string& glob) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return fnmatch(glob.c_str(), name.c_str(), 0) == 0 || fnmatch(glob.c_str(), path.c_str(), 0) == 0;
}

bool is_runtime(const std::string& path) {
  for (const char* glob : {"libc.so*", "libc-*.so", "libm.so*", "libpthread*", "ld-linux*",
                           "libstdc++*", "libc++*", "libgcc_s*", "libmallard-route*"}) {
    if (is_module(path, glob)) return true;
  }
  return false;
}

}  // namespace mallard::whatif
