#include "lab/kernels/array_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/measuring/usage_error.hpp"
#include "lab/results/derived.hpp"

namespace mallard::lab {
namespace {

constexpr std::uint64_t most_elements = 1'000'000'000;
constexpr std::uint64_t most_work = 1'000'000'000'000;

std::vector<place> parse_repeated_sizes(std::string_view option, std::string_view text) {
  std::vector<place> sizes;
  for (const std::string& item : split_list(text)) {
    const auto cross = item.find('x');
    if (cross == item.npos) {
      throw usage_error(
          fmt::format("{}: '{}' is not containers x elements, like 10^4x1000", option, item));
    }
    const std::string_view view = item;
    const std::uint64_t iterations = parse_count(option, view.substr(0, cross), 1, most_elements);
    const std::uint64_t elements = parse_count(option, view.substr(cross + 1), 1, most_elements);
    if (iterations > most_work / elements) {
      throw usage_error(fmt::format("{}: '{}' is more than 10^12 elements", option, item));
    }
    const place size = {{"iterations", static_cast<std::int64_t>(iterations)},
                        {"elements", static_cast<std::int64_t>(elements)}};
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

axis repeated_sizes(std::string usual, std::string quick) {
  axis made = words("sizes", {}, std::move(usual), "Containers x elements");
  made.read = parse_repeated_sizes;
  return made.quickly(std::move(quick));
}

axis type_axis() {
  return words("type", element_types(), "int", "Elements: int, pod64, string");
}

rivals_of growing(growth_form form) {
  return columns_with([form](const column& one) {
    return find_growth_kernel(one, element_type::pod64, form) != nullptr;
  });
}

task grow(const contender& who, const place& at, growth_form form) {
  growth_work work;
  work.iterations = count_of(at, "iterations");
  work.elements = count_of(at, "elements");
  work.type = choice_of<element_type>(at, "type", element_types());
  work.form = form;
  return make_task(find_growth_kernel(column_of(who), work.type, form), work);
}

page_section arrays_section() {
  return {.id = "arrays",
          .name = "Arrays",
          .title = "Arrays that grow in place",
          .text =
              "After Gaztañaga, “Applying classic memory allocation strategies to C++ "
              "containers”. Bars are times in proportion to one column’s, as in the article: "
              "below 1× is faster. Success is the part of the tries to grow or shrink in place "
              "that were granted.",
          .order = 60,
          .method = {extended_allocators()}};
}

page_topic extended_allocators() {
  return {.title = "Arrays and nodes",
          .paragraphs = {
              "v1 is an ordinary allocator: allocate and deallocate. v2 is an extended one, which "
              "Boost’s containers know how to use: it tells how large a block has really become, "
              "grows and shrinks arrays where they lie, and serves or takes back many nodes in one "
              "call. mallard’s are bound to its heap and pools, Boost’s to its own version of "
              "dlmalloc; std is std::allocator, in std’s containers and in Boost’s.",
              "The article was written when containers copied what they move, and a copy was "
              "expensive. If moving copies only bytes, growth in place saves less than it did."}};
}

std::vector<std::string> extended_bases() {
  return {"v1 mallard", "v1 Boost", "std", "std in Boost"};
}

page_card bars_by_elements(std::vector<std::string> measures, std::string hint) {
  std::vector<std::string> bases = extended_bases();
  bases.push_back("realloc");
  return {.hint = std::move(hint),
          .along = "elements",
          .beside = "iterations",
          .along_title = "Elements",
          .measures = std::move(measures),
          .bases = std::move(bases),
          .bars = true};
}

page_card growth_card(std::string hint) {
  return bars_by_elements({"time", "calls", "success", "capacity", "rss"}, std::move(hint));
}

std::vector<measure_kind> growth_measures() {
  return {time_measure(),
          {"calls", "count", "Allocator calls"},
          {"success", "ratio", "Success in place", better::more},
          {"capacity", "count", "Final capacity"},
          peak_measure()};
}

std::vector<figure_kind> growth_figures() {
  return {{.title = "ns per element", .measure = "time", .scale = 1e9, .per = elements_in_all},
          {.title = "allocator calls per container", .measure = "calls"},
          {.title = "part of the tries in place that succeeded",
           .measure = "success",
           .which = better::more}};
}

double elements_in_all(const place& at) {
  return at.real("iterations") * at.real("elements") * containers_at_once(at);
}

}  // namespace mallard::lab
