// The values of the command's options: lists, ranges, fractions, sizes in bytes. All functions
// throw usage_error with one line that names the option and the value.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lab/series_plans.hpp"
#include "lab/strategies.hpp"
#include "lab/structures.hpp"

namespace mallard::cli {

// "a,b,c"; blanks around items are dropped.
std::vector<std::string> split_list(std::string_view text);

// "all", or numbers and names like "1,DS4,9-12".
std::vector<const lab::structure*> parse_structures(std::string_view text);

// log2 sizes like "6,10,12-14".
std::vector<int> parse_sizes(std::string_view text);

// Numbers like "1,2,4-8", each from `lowest` to `highest`, which fits into a Number.
std::vector<std::uint64_t> parse_unsigned(std::string_view option, std::string_view text,
                                          std::uint64_t lowest, std::uint64_t highest);
template <class Number = std::uint64_t>
std::vector<Number> parse_integers(std::string_view option, std::string_view text,
                                   std::uint64_t lowest, std::uint64_t highest) {
  std::vector<Number> numbers;
  for (const std::uint64_t one : parse_unsigned(option, text, lowest, highest)) {
    numbers.push_back(static_cast<Number>(one));
  }
  return numbers;
}

// "2^21", "10^7", "100000".
lab::link_count parse_links(std::string_view text);

// "all", or some of the known names.
std::vector<std::string> parse_names(std::string_view option, std::string_view text,
                                     const std::vector<std::string>& known);

// One of the known words: which one.
std::size_t parse_choice(std::string_view option, std::string_view text,
                         const std::vector<std::string>& known);

// "all", or some of the choices, by the names that `name_of` gives them.
template <class Choice, class Name>
std::vector<Choice> parse_choices(std::string_view option, std::string_view text,
                                  std::initializer_list<Choice> choices, const Name& name_of) {
  std::vector<std::string> known;
  for (const Choice& one : choices) known.emplace_back(name_of(one));
  std::vector<Choice> chosen;
  for (const std::string& name : parse_names(option, text, known)) {
    for (const Choice& one : choices) {
      if (name_of(one) == name) chosen.push_back(one);
    }
  }
  return chosen;
}

// "all", or names like "AS1,AS7-AS9,sync,mutex".
std::vector<std::string> parse_series_strategies(std::string_view text);

// "all", or names like "AS1,AS3-AS6,AS3n".
std::vector<const lab::strategy*> parse_strategies(std::string_view text);

// "all" (those that are built in), or names like "mallard,std".
std::vector<std::string> parse_peers(std::string_view text);

// "clean", "aged", "clean,aged" or "both".
std::vector<std::string> parse_heaps(std::string_view text);

// "0.25" or "1/64": above 0, at most 1.
double parse_scale(std::string_view text);

// "512M", "2G", "100000": k, M, G, T are powers of 1024.
std::uint64_t parse_bytes(std::string_view option, std::string_view text);

}  // namespace mallard::cli
