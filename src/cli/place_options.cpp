#include "cli/place_options.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "base/units.hpp"

namespace mallard::cli {
namespace {

template <class Kind, std::size_t N>
std::vector<std::pair<std::string, const Kind*>> choices(const Kind (&kinds)[N],
                                                         std::string_view Kind::* name) {
  std::vector<std::pair<std::string, const Kind*>> all;
  for (const Kind& one : kinds) all.emplace_back(one.*name, &one);
  return all;
}

}  // namespace

std::string site_measure::text(std::uint64_t amount) const {
  return is_bytes ? base::bytes_text(amount) : fmt::format("{}", amount);
}

void add_place_options(command_parser command, place_options& options) {
  command.add_choice("--by", options.by, {"function", "line"}, "A row for each of these");
  command.add_choice("--sort", options.sort, choices(site_measures, &site_measure::word),
                     "The largest of these first");
  command.add_option("-n,--rows", options.rows, "Print this many rows (default 20)")
      .within(0, std::numeric_limits<int>::max());
  command.add_flag("--json", options.json, "Print all of it as JSON");
}

void add_weight_option(command_parser command, const profile::weight_kind*& weight,
                       std::string_view of) {
  weight = profile::find_weight("alloc_space");
  command.add_choice("--weight", weight,
                     choices(profile::weight_kinds, &profile::weight_kind::name),
                     fmt::format("Weight of {}", of));
}

}  // namespace mallard::cli
