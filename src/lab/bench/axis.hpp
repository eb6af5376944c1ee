// An axis of a bench: an option of the command, and one or more coordinates of the measured places.
#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measuring/place.hpp"

namespace mallard::lab {

// Returns: the values in `text`, each as its coordinates. Throws usage_error, with one line that
// names the option and the value.
using axis_reader =
    std::function<std::vector<place>(std::string_view option, std::string_view text)>;
// A default, which may depend on choices on earlier axes.
using axis_text = std::function<std::string(const place& before)>;

// The role of an axis's values in the cells.
enum class axis_role {
  key,        // they distinguish cells
  parameter,  // all cells of a run have the same one
  parts,      // they select parts of cells
};

struct axis {
  std::string name = {};  // the option's, without dashes
  std::string help = {};  // without the default
  axis_reader read = {};
  axis_text usual = {};
  axis_text quick = {};      // with --quick
  std::string aliases = {};  // ",--global"
  axis_role role = axis_role::key;
  bool is_scaled = false;       // --scale reduces it
  bool is_flag = false;         // an option without a value: 0 or 1
  std::string usual_help = {};  // the default's text in --help; empty: the default itself

  // Sets both defaults, or the one for --quick.
  axis defaults(axis_text text) const;
  axis quickly(axis_text text) const;
  axis quickly(std::string text) const;
  axis said(std::string default_of_help) const;
  axis parameter() const;
  axis of_parts() const;
  axis scaled() const;
  axis alias(const std::string& other) const;
};

axis_text always(std::string text);

// Numbers such as "1,2,4-8", each in the range.
axis integers(std::string name, std::string usual, std::string help, std::uint64_t lowest = 1,
              std::uint64_t highest = 4'000'000'000);
// The same without ranges, and with "10^7".
axis counts(std::string name, std::string usual, std::string help, std::uint64_t lowest,
            std::uint64_t highest);
// Sizes such as "512M,2G"; k, M, G, T are powers of 1024.
axis bytes(std::string name, std::string usual, std::string help, std::uint64_t lowest,
           std::uint64_t highest);
// One number with decimals.
axis real(std::string name, std::string usual, std::string help, double lowest, double highest);
// "all", or some of the words.
axis words(std::string name, std::vector<std::string> known, std::string usual, std::string help);
// Numbers of threads.
axis threads(std::string usual, std::string help = "Numbers of threads, like 1-8");
// An option without a value.
axis flag(std::string name, std::string help);

// Building blocks for axes of another form.
std::vector<std::string> split_list(std::string_view text);  // removes blanks around items
std::vector<std::uint64_t> parse_integers(std::string_view option, std::string_view text,
                                          std::uint64_t lowest, std::uint64_t highest);
std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t lowest,
                          std::uint64_t highest);
std::uint64_t parse_bytes(std::string_view option, std::string_view text);
// A fraction above 0 and up to 1: "0.25", "1/64".
double parse_scale(std::string_view text);
std::vector<std::string> parse_names(std::string_view option, std::string_view text,
                                     const std::vector<std::string>& known);
[[noreturn]] void unknown_value(std::string_view option, std::string_view value,
                                std::string_view known);
// A place with one coordinate for each value.
template <class Values>
std::vector<place> places_along(const std::string& name, const Values& values) {
  std::vector<place> all = {};
  for (const auto& one : values) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(one)>>) {
      all.push_back({{name, static_cast<std::int64_t>(one)}});
    } else {
      all.push_back({{name, one}});
    }
  }
  return all;
}

}  // namespace mallard::lab
