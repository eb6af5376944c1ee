// One block that grows in steps, moved or in place.
#include <fmt/format.h>

#include <charconv>

#include "lab/kernels/array_bench.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

// With smaller factors, a block that starts with a page would grow by less than a byte.
constexpr std::uint64_t least_step_bytes = 4096;

// Parses a factor above 1 and up to 100, with at most two decimals, such as "1.5". Returns:
// hundredths, or 0 if it is malformed.
std::uint64_t to_percent(std::string_view text) {
  const auto point = text.find('.');
  if (point != text.npos && (text.size() - point < 2 || text.size() - point > 3)) return 0;
  const bool plain = text.find_first_not_of("0123456789.") == text.npos && point != 0;
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (!plain || error != std::errc{} || end != text.data() + text.size()) return 0;
  return factor > 1 && factor <= 100 ? static_cast<std::uint64_t>(factor * 100 + 0.5) : 0;
}

struct growth_step {
  std::uint64_t percent = 0;  // 150 for "x1.5"; 0: adds bytes
  std::uint64_t bytes = 0;
};

// Parses "x1.5" or "+1M".
growth_step parse_step(std::string_view option, const std::string& item) {
  const std::string_view value = std::string_view(item).substr(item.empty() ? 0 : 1);
  growth_step step;
  if (item.starts_with('x')) {
    step.percent = to_percent(value);
  } else if (item.starts_with('+')) {
    step.bytes = parse_bytes(option, value);
  }
  if (step.percent == 0 && step.bytes < least_step_bytes) {
    throw usage_error(fmt::format(
        "{}: '{}' is neither a factor, like x1.5, nor 4k or more that are added, like +1M", option,
        item));
  }
  return step;
}

axis steps_axis() {
  axis made = words("steps", {}, "x1.5,x2,+64k,+1M", "Factors and bytes that are added");
  made.read = [](std::string_view option, std::string_view text) {
    const auto items = split_list(text);
    for (const std::string& item : items) parse_step(option, item);
    return places_along("step", items);
  };
  return made;
}

realloc_work work_at(const place& at) {
  const growth_step step = parse_step("--steps", at.word("step"));
  return {count_of(at, "rounds"), count_of(at, "bytes"), step.percent, step.bytes};
}

}  // namespace

bench make_realloc() {
  return {
      .name = "realloc",
      .summary = "One block that grows step by step, moved or in place",
      .title = "A block that grows",
      .contenders = columns_with(find_realloc_kernel),
      .axes = {steps_axis(),
               bytes("bytes", "1M,256M", "Size that it grows to, like 1M,256M", 64 << 10,
                     std::uint64_t{1} << 40)
                   .quickly("4M"),
               integers("rounds", "10", "Blocks, one after the other", 1, 1'000'000).parameter()},
      .kernel =
          [](const contender& who, const place& at) {
            return make_task(find_realloc_kernel(column_of(who)), work_at(at));
          },
      .measures = {time_measure(),
                   {"moved", "count", "Times moved"},
                   {"success", "ratio", "Success in place", better::more},
                   peak_measure()},
      .figures = {milliseconds(),
                  {.title = "times moved", .measure = "moved"},
                  {.title = "part of the tries in place that succeeded",
                   .measure = "success",
                   .which = better::more}},
      .table = {.tables = {"step"},
                .rows = {"bytes"},
                .columns = across::columns,
                .base = "std@boost"},
      .expected_seconds =
          [](const place& at) { return 0.2e-9 * at.real("rounds") * at.real("bytes"); },
      .page = {.section = arrays_section(),
               .cards = {{.along = "bytes",
                          .along_title = "Final size",
                          .along_unit = "B",
                          .measures = {"time", "moved", "success"},
                          .bases = {"realloc", "v1 mallard"},
                          .bars = true}}},
  };
}

}  // namespace mallard::lab
