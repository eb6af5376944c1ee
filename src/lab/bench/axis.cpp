#include "lab/bench/axis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
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

// "10^7" or digits.
std::optional<std::uint64_t> to_count(std::string_view text) {
  constexpr std::uint64_t most = 1'000'000'000'000;
  const auto hat = text.find('^');
  const auto base = to_number<std::uint64_t>(text.substr(0, hat));
  if (hat == text.npos || !base) return base;
  const auto exponent = to_number<std::uint64_t>(text.substr(hat + 1));
  if (!exponent || *base < 2) return std::nullopt;
  std::uint64_t value = 1;
  for (std::uint64_t i = 0; i < *exponent; ++i) {
    if (value > most / *base) return std::nullopt;
    value *= *base;
  }
  return value;
}

axis make_axis(std::string name, std::string usual, std::string help, axis_reader read) {
  axis made;
  made.name = std::move(name);
  made.help = std::move(help);
  made.read = std::move(read);
  made.usual_help = usual;
  made.usual = made.quick = always(std::move(usual));
  return made;
}

}  // namespace

axis_text always(std::string text) {
  return [text = std::move(text)](const place&) { return text; };
}

axis axis::defaults(axis_text text) const {
  axis made = *this;
  made.usual = made.quick = std::move(text);
  return made;
}

axis axis::quickly(axis_text text) const {
  axis made = *this;
  made.quick = std::move(text);
  return made;
}

axis axis::quickly(std::string text) const {
  return quickly(always(std::move(text)));
}

axis axis::said(std::string default_of_help) const {
  axis made = *this;
  made.usual_help = std::move(default_of_help);
  return made;
}

axis axis::parameter() const {
  axis made = *this;
  made.role = axis_role::parameter;
  return made;
}

axis axis::of_parts() const {
  axis made = *this;
  made.role = axis_role::parts;
  return made;
}

axis axis::scaled() const {
  axis made = *this;
  made.is_scaled = true;
  return made;
}

axis axis::alias(const std::string& other) const {
  axis made = *this;
  made.aliases += ",--" + other;
  return made;
}

axis integers(std::string name, std::string usual, std::string help, std::uint64_t lowest,
              std::uint64_t highest) {
  return make_axis(name, std::move(usual), std::move(help),
                   [=](std::string_view option, std::string_view text) {
                     return places_along(name, parse_integers(option, text, lowest, highest));
                   });
}

axis counts(std::string name, std::string usual, std::string help, std::uint64_t lowest,
            std::uint64_t highest) {
  return make_axis(name, std::move(usual), std::move(help),
                   [=](std::string_view option, std::string_view text) {
                     std::vector<std::uint64_t> all;
                     for (const std::string& item : split_list(text)) {
                       add_once(all, parse_count(option, item, lowest, highest));
                     }
                     return places_along(name, all);
                   });
}

axis bytes(std::string name, std::string usual, std::string help, std::uint64_t lowest,
           std::uint64_t highest) {
  return make_axis(
      name, std::move(usual), std::move(help), [=](std::string_view option, std::string_view text) {
        std::vector<std::uint64_t> all;
        for (const std::string& item : split_list(text)) {
          const std::uint64_t value = parse_bytes(option, item);
          if (value < lowest || value > highest) {
            throw usage_error(
                fmt::format("{}: '{}' is not from {} to {} bytes", option, item, lowest, highest));
          }
          add_once(all, value);
        }
        return places_along(name, all);
      });
}

axis real(std::string name, std::string usual, std::string help, double lowest, double highest) {
  return make_axis(name, std::move(usual), std::move(help),
                   [=](std::string_view option, std::string_view text) {
                     const auto value = to_number<double>(text);
                     if (!value || !(*value >= lowest && *value <= highest)) {
                       unknown_value(option, text, fmt::format("{} to {}", lowest, highest));
                     }
                     return std::vector<place>{{{name, *value}}};
                   })
      .parameter();
}

axis words(std::string name, std::vector<std::string> known, std::string usual, std::string help) {
  return make_axis(name, std::move(usual), std::move(help),
                   [=](std::string_view option, std::string_view text) {
                     return places_along(name, parse_names(option, text, known));
                   });
}

axis threads(std::string usual, std::string help) {
  return integers("threads", std::move(usual), std::move(help), 1, 256);
}

axis flag(std::string name, std::string help) {
  axis made = integers(std::move(name), "0", std::move(help), 0, 1);
  made.is_flag = true;
  return made.parameter();
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  while (true) {
    const auto comma = text.find(',');
    items.emplace_back(trim(text.substr(0, comma)));
    if (comma == text.npos) return items;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::uint64_t> parse_integers(std::string_view option, std::string_view text,
                                          std::uint64_t lowest, std::uint64_t highest) {
  // Parses a number of an item; `item` is for the error message.
  const auto read = [&](std::string_view number, const std::string& item) {
    const auto value = to_number<std::uint64_t>(number);
    if (!value || *value < lowest || *value > highest) {
      unknown_value(option, number.empty() ? item : number,
                    fmt::format("{} to {}", lowest, highest));
    }
    return *value;
  };
  // A larger range is a mistake.
  constexpr std::uint64_t most_of_a_range = 10'000;
  std::vector<std::uint64_t> numbers;
  for (const std::string& item : split_list(text)) {
    const auto dash = item.find('-');
    const std::uint64_t first = read(std::string_view(item).substr(0, dash), item);
    const std::uint64_t last =
        dash == item.npos ? first : read(std::string_view(item).substr(dash + 1), item);
    if (last < first) {
      throw usage_error(fmt::format("{}: '{}' is a range from high to low", option, item));
    }
    if (last - first >= most_of_a_range) {
      throw usage_error(
          fmt::format("{}: '{}' are more than {} values", option, item, most_of_a_range));
    }
    for (std::uint64_t one = first; one <= last; ++one) add_once(numbers, one);
  }
  return numbers;
}

std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t lowest,
                          std::uint64_t highest) {
  const auto value = to_count(text);
  if (!value || *value < lowest || *value > highest) {
    throw usage_error(fmt::format("{}: '{}' is not a number from {} to {}, like 10^4", option, text,
                                  lowest, highest));
  }
  return *value;
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

std::vector<std::string> parse_names(std::string_view option, std::string_view text,
                                     const std::vector<std::string>& known) {
  if (text == "all") return known;
  std::vector<std::string> names;
  for (const std::string& item : split_list(text)) {
    if (std::find(known.begin(), known.end(), item) == known.end()) {
      unknown_value(option, item, fmt::format("{}", fmt::join(known, ", ")));
    }
    add_once(names, item);
  }
  return names;
}

void unknown_value(std::string_view option, std::string_view value, std::string_view known) {
  throw usage_error(fmt::format("{}: unknown value '{}' (known: {})", option, value, known));
}

}  // namespace mallard::lab
