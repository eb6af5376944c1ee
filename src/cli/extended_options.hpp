// The options that the benches of extended allocators have in common, and the values of those they
// do not.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run_options.hpp"
#include "lab/extended_plans.hpp"

namespace mallard::cli {

struct extended_options : run_options {
  std::optional<std::string> columns;
};

inline constexpr unsigned extended_repetitions = 5;
inline constexpr unsigned quick_extended_repetitions = 3;

void add_extended_options(CLI::App& bench, extended_options& options);

// Whether a bench has a column.
using has_column = std::function<bool(const lab::series_column&)>;

// The columns that were asked for, of those that the bench has; by default all of the peers. There
// is no limit of memory that was not asked for.
// Throws usage_error as the functions below do.
lab::series_conditions make_extended_conditions(const extended_options& options,
                                                const has_column& has);

// "10^7" or "1000000".
std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t lowest,
                          std::uint64_t highest);

// "10^4x10^4,100x500": how many containers with how many elements.
std::vector<lab::repeated_size> parse_repeated_sizes(std::string_view option,
                                                     std::string_view text);

// "x1.5,+1M": a factor with up to two decimals, or bytes that are added.
std::vector<lab::growth_step> parse_steps(std::string_view option, std::string_view text);

std::vector<lab::element_type> parse_types(std::string_view text);

}  // namespace mallard::cli
