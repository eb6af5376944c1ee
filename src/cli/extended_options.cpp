#include "cli/extended_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/lists.hpp"
#include "cli/series_options.hpp"
#include "cli/usage_error.hpp"
#include "lab/peers.hpp"
#include "lab/results.hpp"

namespace mallard::cli {
namespace {

constexpr std::uint64_t most_elements = 1'000'000'000;
constexpr std::uint64_t most_work = 1'000'000'000'000;

// Digits, and nothing else.
std::optional<std::uint64_t> to_digits(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> to_count(std::string_view text) {
  const auto hat = text.find('^');
  const auto base = to_digits(text.substr(0, hat));
  if (hat == text.npos || !base) return base;
  const auto exponent = to_digits(text.substr(hat + 1));
  if (!exponent || *base < 2) return std::nullopt;
  std::uint64_t value = 1;
  for (std::uint64_t i = 0; i < *exponent; ++i) {
    if (value > most_work / *base) return std::nullopt;
    value *= *base;
  }
  return value;
}

// In hundredths, for a factor above 1 and up to 100, like "1.5"; 0 when it is none.
std::uint64_t to_percent(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = to_digits(text.substr(0, point));
  if (!whole || *whole > 100) return 0;
  std::uint64_t percent = *whole * 100;
  if (point != text.npos) {
    const std::string_view decimals = text.substr(point + 1);
    const auto fraction = to_digits(decimals);
    if (!fraction || decimals.size() > 2) return 0;
    percent += decimals.size() == 1 ? *fraction * 10 : *fraction;
  }
  return percent > 100 && percent <= 10000 ? percent : 0;
}

// Of a block that is a page at first, a smaller factor adds less than a byte at first.
constexpr std::uint64_t least_step_bytes = 4096;

}  // namespace

void add_extended_options(CLI::App& bench, extended_options& options) {
  bench.add_option("--columns", options.columns,
                   "Allocators, like v2@mallard,std@std (default: all; an unknown one lists them)");
  add_run_options(
      bench, options,
      {.repetitions = extended_repetitions,
       .seed = "Of the sizes, the order and the intervals",
       .json = "Result file (default: results/BENCH-DATE.jsonl)",
       .memory_limit = "Address space of a measuring process, like 64G (default: no limit)",
       .quick = "Smaller defaults: done in some seconds"});
}

lab::series_conditions make_extended_conditions(const extended_options& options,
                                                const has_column& has) {
  const auto peers = parse_peers(options.peers);
  std::vector<lab::series_column> there;
  std::vector<std::string> names;
  for (const lab::series_column& one : lab::extended_columns()) {
    const bool wanted = one.peer == lab::global_peer ||
                        std::find(peers.begin(), peers.end(), one.peer) != peers.end();
    if (!wanted || !has(one)) continue;
    there.push_back(one);
    names.push_back(lab::column_name(one.strategy, one.peer));
  }
  const auto chosen = parse_names("--columns", options.columns.value_or("all"), names);
  std::vector<lab::series_column> columns;
  for (std::size_t i = 0; i < there.size(); ++i) {
    const bool asked_for = std::find(chosen.begin(), chosen.end(), names[i]) != chosen.end();
    if (asked_for) columns.push_back(there[i]);
  }
  lab::series_conditions under =
      make_conditions(options, std::move(columns),
                      options.quick ? quick_extended_repetitions : extended_repetitions);
  // Arrays that grow in place reserve far more addresses than they ever have memory.
  if (!options.memory_limit) under.memory_limit = 0;
  return under;
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

std::vector<lab::repeated_size> parse_repeated_sizes(std::string_view option,
                                                     std::string_view text) {
  std::vector<lab::repeated_size> sizes;
  for (const std::string& item : split_list(text)) {
    const auto cross = item.find('x');
    if (cross == item.npos) {
      throw usage_error(
          fmt::format("{}: '{}' is not containers x elements, like 10^4x1000", option, item));
    }
    const std::string_view view = item;
    const lab::repeated_size size = {parse_count(option, view.substr(0, cross), 1, most_elements),
                                     parse_count(option, view.substr(cross + 1), 1, most_elements)};
    if (size.iterations > most_work / size.elements) {
      throw usage_error(fmt::format("{}: '{}' is more than 10^12 elements", option, item));
    }
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  return sizes;
}

std::vector<lab::growth_step> parse_steps(std::string_view option, std::string_view text) {
  std::vector<lab::growth_step> steps;
  for (const std::string& item : split_list(text)) {
    const std::string_view value = std::string_view(item).substr(item.empty() ? 0 : 1);
    lab::growth_step step{item, 0, 0};
    if (item.starts_with('x')) {
      step.percent = to_percent(value);
    } else if (item.starts_with('+')) {
      step.bytes = parse_bytes(option, value);
    }
    if (step.percent == 0 && step.bytes < least_step_bytes) {
      throw usage_error(fmt::format(
          "{}: '{}' is neither a factor, like x1.5, nor 4k or more that are added, like +1M",
          option, item));
    }
    steps.push_back(step);
  }
  return steps;
}

std::vector<lab::element_type> parse_types(std::string_view text) {
  using enum lab::element_type;
  return parse_choices("--type", text, {wrapped_int, pod64, string},
                       [](lab::element_type one) { return lab::to_string(one); });
}

}  // namespace mallard::cli
