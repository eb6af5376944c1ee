// One thing that a bench can be asked for: an option of the command, and one or more coordinates of
// the places that are measured.
#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measuring/place.hpp"

namespace mallard::lab {

// The values in `text`, each as the coordinates that it stands for. Throws usage_error with one
// line that names the option and the value.
using axis_reader =
    std::function<std::vector<place>(std::string_view option, std::string_view text)>;
// The default; it may depend on choices on the axes before.
using axis_text = std::function<std::string(const place& before)>;

// Role of an axis' values for the cells.
enum class axis_role {
  key,        // they tell cells apart
  parameter,  // all cells of a run have the same one
  parts,      // they say which parts of cells are measured
};

struct axis {
  std::string name = {};  // of the option, without dashes
  std::string help = {};  // without the default
  axis_reader read = {};
  axis_text usual = {};
  axis_text quick = {};      // with --quick
  std::string aliases = {};  // ",--global"
  axis_role role = axis_role::key;
  bool is_scaled = false;       // --scale takes a fraction of it
  bool is_flag = false;         // an option without a value: 0 or 1
  std::string usual_help = {};  // what --help says of the default; empty: the default's text

  // Both defaults, or that of --quick.
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

// Numbers like "1,2,4-8", each in the range.
axis integers(std::string name, std::string usual, std::string help, std::uint64_t lowest = 1,
              std::uint64_t highest = 4'000'000'000);
// The same without ranges, and with "10^7".
axis counts(std::string name, std::string usual, std::string help, std::uint64_t lowest,
            std::uint64_t highest);
// "512M,2G": k, M, G, T are powers of 1024.
axis bytes(std::string name, std::string usual, std::string help, std::uint64_t lowest,
           std::uint64_t highest);
// One number with decimals.
axis real(std::string name, std::string usual, std::string help, double lowest, double highest);
// "all", or some of the words.
axis words(std::string name, std::vector<std::string> known, std::string usual, std::string help);
// Axis of the number of threads.
axis threads(std::string usual, std::string help = "Numbers of threads, like 1-8");
// Without a value.
axis flag(std::string name, std::string help);

// The parts of those readers, for axes of another form.
std::vector<std::string> split_list(std::string_view text);  // blanks around items are dropped
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
// A place of one coordinate for each.
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
