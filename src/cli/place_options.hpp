// Options of commands that list places of a program: the places, and the sum that orders them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/command_parser.hpp"
#include "profile/result.hpp"
#include "profile/views/stack_profile.hpp"

namespace mallard::cli {

struct site_measure {
  std::string_view word;
  std::string_view heading;
  std::uint64_t profile::site::* value;
  bool is_bytes;
  std::string_view needs = {};  // unknown where this was not recorded

  std::string text(std::uint64_t amount) const;
};
inline constexpr site_measure site_measures[] = {
    {"peak", "at peak", &profile::site::peak_bytes, true, "the peak"},
    {"bytes", "bytes", &profile::site::bytes, true},
    {"operations", "operations", &profile::site::operations, false},
    {"leaked", "leaked", &profile::site::leaked_bytes, true},
    {"temporary", "temporary", &profile::site::temporary, false, "the order of operations"},
};
inline constexpr const site_measure& peak_measure = site_measures[0];
inline constexpr const site_measure& bytes_measure = site_measures[1];
inline constexpr const site_measure& temporary_measure = site_measures[4];

struct place_options {
  std::string by = "function";
  const site_measure* sort = &bytes_measure;
  std::size_t rows = 20;
  bool json = false;

  bool by_line() const { return by == "line"; }
};

// --by, --sort (as it is in `options`, if nothing is said), -n and --json.
void add_place_options(command_parser command, place_options& options);

// --weight, of what `of` names. `weight` is the option's default until the command runs.
void add_weight_option(command_parser command, const profile::weight_kind*& weight,
                       std::string_view of);

}  // namespace mallard::cli
