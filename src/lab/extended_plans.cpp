#include "lab/extended_plans.hpp"

#include "lab/plan_cells.hpp"

namespace mallard::lab {
namespace {

std::int64_t coordinate_of(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

void add_growth_cells(series_plan& plan, const series_conditions& under, std::string_view bench,
                      const std::vector<repeated_size>& sizes, element_type type,
                      growth_form form) {
  const std::uint64_t vectors = form == growth_form::among ? growing_vectors : 1;
  for (const repeated_size& size : sizes) {
    const growth_work work{size.iterations, size.elements, type, form};
    coordinates at = {{"elements", coordinate_of(size.elements)},
                      {"iterations", coordinate_of(size.iterations)},
                      {"type", std::string(to_string(type))}};
    if (form != growth_form::backward) at["form"] = std::string(to_string(form));
    const double expected = 5e-9 * static_cast<double>(size.iterations * size.elements * vectors);
    add_cells(plan, under, bench, at, work, expected,
              [&](const series_column& column) { return find_growth_kernel(column, type, form); });
  }
}

}  // namespace

series_plan plan_expand_forward(const growth_sizes& sizes, const series_conditions& under) {
  series_plan plan = start_plan(under);
  for (const element_type type : sizes.types) {
    add_growth_cells(plan, under, "expand-forward", sizes.alone, type, growth_form::alone);
    add_growth_cells(plan, under, "expand-forward", sizes.among, type, growth_form::among);
  }
  return plan;
}

series_plan plan_expand_backward(const growth_sizes& sizes, const series_conditions& under) {
  series_plan plan = start_plan(under);
  for (const element_type type : sizes.types) {
    add_growth_cells(plan, under, "expand-backward", sizes.alone, type, growth_form::backward);
  }
  return plan;
}

series_plan plan_shrink(const shrink_sizes& sizes, const series_conditions& under) {
  series_plan plan = start_plan(under);
  for (const element_type type : sizes.types) {
    for (const repeated_size& size : sizes.vectors) {
      const shrink_work work{size.iterations, size.elements, type};
      const coordinates at = {{"elements", coordinate_of(size.elements)},
                              {"iterations", coordinate_of(size.iterations)},
                              {"type", std::string(to_string(type))}};
      // Without shrinking in place, every fifth element copies half of them, on average.
      const auto elements = static_cast<double>(size.elements);
      const double expected = 0.2e-9 * static_cast<double>(size.iterations) * elements * elements;
      add_cells(plan, under, "shrink", at, work, expected, find_shrink_kernel);
    }
  }
  return plan;
}

series_plan plan_burst(const burst_sizes& sizes, const series_conditions& under) {
  series_plan plan = start_plan(under);
  for (const node_container what : sizes.containers) {
    for (const std::uint64_t range : sizes.ranges) {
      const burst_work work{sizes.elements, range};
      const coordinates at = {{"range", coordinate_of(range)},
                              {"container", std::string(to_string(what))},
                              {"elements", coordinate_of(sizes.elements)}};
      const double expected = 150e-9 * static_cast<double>(sizes.elements);
      add_cells(plan, under, "burst", at, work, expected,
                [&](const series_column& column) { return find_burst_kernel(column, what); });
    }
  }
  return plan;
}

series_plan plan_adaptive_pool(const burst_sizes& sizes, const series_conditions& under) {
  series_plan plan = start_plan(under);
  for (const std::uint64_t range : sizes.ranges) {
    const pool_work work{sizes.elements, range};
    const coordinates at = {{"range", coordinate_of(range)},
                            {"elements", coordinate_of(sizes.elements)}};
    const double expected = 150e-9 * static_cast<double>(sizes.elements);
    add_cells(plan, under, "adaptive-pool", at, work, expected, find_pool_kernel);
  }
  return plan;
}

series_plan plan_realloc(const realloc_sizes& sizes, const series_conditions& under) {
  series_plan plan = start_plan(under);
  for (const growth_step& step : sizes.steps) {
    for (const std::uint64_t bytes : sizes.final_bytes) {
      const realloc_work work{sizes.rounds, bytes, step.percent, step.bytes};
      const coordinates at = {{"step", step.name}, {"bytes", coordinate_of(bytes)}};
      const double expected = 0.2e-9 * static_cast<double>(sizes.rounds * bytes);
      add_cells(plan, under, "realloc", at, work, expected, find_realloc_kernel);
    }
  }
  return plan;
}

series_plan plan_mixed(const mixed_sizes& sizes, const series_conditions& under) {
  series_plan plan = start_plan(under);
  for (const int live : sizes.live) {
    const std::uint64_t blocks = power(2, live);
    const mixed_work work{blocks, blocks * sizes.operations_per_block, sizes.low, sizes.high,
                          under.seed};
    const coordinates at = {
        {"live", live}, {"low", coordinate_of(sizes.low)}, {"high", coordinate_of(sizes.high)}};
    const double expected = 500e-9 * static_cast<double>(work.operations);
    add_cells(plan, under, "mixed", at, work, expected, find_mixed_kernel);
  }
  return plan;
}

std::string_view to_string(element_type type) {
  switch (type) {
    case element_type::wrapped_int:
      return "int";
    case element_type::pod64:
      return "pod64";
    case element_type::string:
      return "string";
  }
  return "?";
}

std::string_view to_string(growth_form form) {
  switch (form) {
    case growth_form::alone:
      return "alone";
    case growth_form::among:
      return "among";
    case growth_form::backward:
      return "backward";
  }
  return "?";
}

std::string_view to_string(node_container what) {
  switch (what) {
    case node_container::list:
      return "list";
    case node_container::stable_vector:
      return "stable_vector";
  }
  return "?";
}

}  // namespace mallard::lab
