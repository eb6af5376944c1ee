#include "cli/place_options.hpp"

#include <fmt/format.h>

#include <functional>

#include "base/units.hpp"
#include "cli/usage_error.hpp"

namespace mallard::cli {
namespace {

template <class Kinds, class Name>
std::string known(const Kinds& kinds, Name name) {
  std::string all;
  for (const auto& one : kinds) {
    all += fmt::format("{}{}", all.empty() ? "" : ", ", std::invoke(name, one));
  }
  return all;
}

std::string known_measures() {
  return known(site_measures, &site_measure::word);
}
std::string known_weights() {
  return known(profile::weight_kinds, &profile::weight_kind::name);
}

}  // namespace

std::string site_measure::text(std::uint64_t amount) const {
  return is_bytes ? base::bytes_text(amount) : fmt::format("{}", amount);
}

bool place_options::by_line() const {
  if (by != "function" && by != "line") {
    throw usage_error(fmt::format("--by: unknown value '{}' (known: function, line)", by));
  }
  return by == "line";
}

const site_measure& place_options::order() const {
  for (const site_measure& one : site_measures) {
    if (one.word == sort) return one;
  }
  throw usage_error(fmt::format("--sort: unknown value '{}' (known: {})", sort, known_measures()));
}

void add_place_options(command_parser command, place_options& options) {
  command.add_option("--by", options.by, "function (default) or line");
  command.add_option("--sort", options.sort,
                     fmt::format("{} (default {})", known_measures(), options.sort));
  command.add_option("-n,--rows", options.rows, "Print this many rows (default 20)");
  command.add_flag("--json", options.json, "Print all of it as JSON");
}

void add_weight_option(command_parser command, std::string& weight, std::string_view of) {
  command.add_option("--weight", weight,
                     fmt::format("Weight of {}: {} (default {})", of, known_weights(), weight));
}

const profile::weight_kind& parse_weight(const std::string& word) {
  if (const auto* found = profile::find_weight(word)) return *found;
  throw usage_error(fmt::format("--weight: unknown value '{}' (known: {})", word, known_weights()));
}

}  // namespace mallard::cli
