#include "cli/lists.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "cli/usage_error.hpp"
#include "lab/peers.hpp"
#include "lab/plan.hpp"

namespace mallard::cli {
namespace {

template <class Number>
std::optional<Number> to_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

[[noreturn]] void unknown(std::string_view option, std::string_view value, std::string_view known) {
  throw usage_error(fmt::format("{}: unknown value '{}' (known: {})", option, value, known));
}

// A list whose items are names or ranges of names, "first-last", in the order of a table.
template <class Row, class Find>
std::vector<const Row*> parse_rows(std::string_view text, std::span<const Row> table,
                                   const Find& find) {
  std::vector<const Row*> rows;
  if (text == "all") {
    for (const Row& row : table) rows.push_back(&row);
    return rows;
  }
  for (const std::string& item : split_list(text)) {
    const auto dash = item.find('-');
    const Row* first = find(std::string_view(item).substr(0, dash));
    const Row* last = dash == item.npos ? first : find(std::string_view(item).substr(dash + 1));
    if (last < first) throw usage_error(fmt::format("'{}' is a range from high to low", item));
    for (const Row* row = first; row <= last; ++row) add_once(rows, row);
  }
  return rows;
}

// A list whose items are numbers or ranges of them, "first-last"; `read` reads one number.
template <class Number, class Read>
std::vector<Number> parse_ranges(std::string_view text, const Read& read) {
  std::vector<Number> numbers;
  for (const std::string& item : split_list(text)) {
    const auto dash = item.find('-');
    const Number first = read(std::string_view(item).substr(0, dash));
    const Number last = dash == item.npos ? first : read(std::string_view(item).substr(dash + 1));
    if (last < first) throw usage_error(fmt::format("'{}' is a range from high to low", item));
    for (Number one = first; one <= last; ++one) add_once(numbers, one);
  }
  return numbers;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  while (true) {
    const auto comma = text.find(',');
    items.emplace_back(trim(text.substr(0, comma)));
    if (comma == text.npos) return items;
    text.remove_prefix(comma + 1);
  }
}

std::vector<const lab::structure*> parse_structures(std::string_view text) {
  return parse_rows(text, lab::all_structures(), [](std::string_view name) {
    const auto* found =
        lab::find_structure(name.starts_with("DS") ? std::string(name) : fmt::format("DS{}", name));
    if (!found) unknown("--ds", name, "1 to 12, all");
    return found;
  });
}

std::vector<int> parse_sizes(std::string_view text) {
  return parse_ranges<int>(text, [](std::string_view item) {
    const auto value = to_number<int>(item);
    if (!value || *value < lab::min_size || *value > lab::max_size) {
      unknown("--sizes", item, fmt::format("{} to {}, log2", lab::min_size, lab::max_size));
    }
    return *value;
  });
}

std::vector<std::uint64_t> parse_unsigned(std::string_view option, std::string_view text,
                                          std::uint64_t lowest, std::uint64_t highest) {
  return parse_ranges<std::uint64_t>(text, [&](std::string_view item) {
    const auto value = to_number<std::uint64_t>(item);
    if (!value || *value < lowest || *value > highest) {
      unknown(option, item, fmt::format("{} to {}", lowest, highest));
    }
    return *value;
  });
}

lab::link_count parse_links(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    throw usage_error(fmt::format("--links: '{}' {}, like 2^21, 10^7 or 100000", text, why));
  };
  lab::link_count total;
  const auto hat = text.find('^');
  const auto base = to_number<std::uint64_t>(text.substr(0, hat));
  const auto exponent = hat == text.npos ? std::optional<std::uint64_t>(1)
                                         : to_number<std::uint64_t>(text.substr(hat + 1));
  if (!base || *base < 1 || !exponent || (hat != text.npos && *base != 2 && *base != 10)) {
    bad("is not a number of links");
  }
  total.links = 1;
  for (std::uint64_t i = 0; i < *exponent; ++i) {
    if (total.links > lab::max_links / *base) bad("is too many: at most 2^31");
    total.links *= *base;
  }
  std::uint64_t rest = total.links;
  while (rest % 10 == 0) rest /= 10;
  total.base = rest == 1 && total.links > 1 ? 10 : 2;
  return total;
}

std::vector<const lab::strategy*> parse_strategies(std::string_view text) {
  return parse_rows(text, lab::all_strategies(), [](std::string_view name) {
    const auto* found = lab::find_strategy(name);
    if (!found) unknown("--strategies", name, "AS1 to AS14, AS3n to AS6n, all");
    return found;
  });
}

std::vector<std::string> parse_series_strategies(std::string_view text) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view item) {
    for (const lab::strategy* one : parse_strategies(item)) add_once(names, std::string(one->name));
  };
  if (text == "all") {
    add(text);
    names.insert(names.end(), {"sync", "mutex"});
    return names;
  }
  for (const std::string& item : split_list(text)) {
    if (item == "sync" || item == "mutex") {
      add_once(names, item);
    } else {
      add(item);
    }
  }
  return names;
}

std::vector<std::string> parse_names(std::string_view option, std::string_view text,
                                     const std::vector<std::string>& known) {
  if (text == "all") return known;
  std::vector<std::string> names;
  for (const std::string& item : split_list(text)) {
    if (std::find(known.begin(), known.end(), item) == known.end()) {
      unknown(option, item, fmt::format("{}", fmt::join(known, ", ")));
    }
    add_once(names, item);
  }
  return names;
}

std::size_t parse_choice(std::string_view option, std::string_view text,
                         const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), text);
  if (found == known.end()) unknown(option, text, fmt::format("{}", fmt::join(known, ", ")));
  return static_cast<std::size_t>(found - known.begin());
}

std::vector<std::string> parse_peers(std::string_view text) {
  for (const std::string& item : split_list(text)) {
    for (const auto& missing : lab::missing_peers()) {
      if (item == missing.peer) {
        throw usage_error(fmt::format("--peers: '{}' is not available: {}", item, missing.reason));
      }
    }
  }
  std::vector<std::string> known;
  for (const auto& peer : lab::available_peers()) known.push_back(peer.name);
  return parse_names("--peers", text, known);
}

std::vector<std::string> parse_heaps(std::string_view text) {
  return parse_names("--heap", text == "both" ? "all" : text, {"clean", "aged"});
}

double parse_scale(std::string_view text) {
  const auto slash = text.find('/');
  const auto above = to_number<double>(text.substr(0, slash));
  const auto below =
      slash == text.npos ? std::optional(1.0) : to_number<double>(text.substr(slash + 1));
  const double scale = above && below && *below > 0 ? *above / *below : 0;
  if (!(scale > 0 && scale <= 1)) {
    throw usage_error(
        fmt::format("--scale: '{}' is not a number above 0 and up to 1, like 0.25 or 1/64", text));
  }
  return scale;
}

std::uint64_t parse_bytes(std::string_view option, std::string_view text) {
  constexpr std::string_view units = "kMGT";
  std::string_view digits = text;
  unsigned shift = 0;
  const auto unit = digits.empty() ? units.npos : units.find(digits.back());
  if (unit != units.npos) {
    shift = 10 * (static_cast<unsigned>(unit) + 1);
    digits.remove_suffix(1);
  }
  const auto value = to_number<std::uint64_t>(digits);
  if (!value || *value > std::numeric_limits<std::uint64_t>::max() >> shift) {
    throw usage_error(
        fmt::format("{}: '{}' is not a number of bytes, like 512M or 2G", option, text));
  }
  return *value << shift;
}

}  // namespace mallard::cli
