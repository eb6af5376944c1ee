#include "lab/series_plans.hpp"

#include <algorithm>
#include <thread>

#include "lab/peers.hpp"
#include "lab/plan_cells.hpp"

namespace mallard::lab {
namespace {

double waves_of(unsigned threads) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return std::max(1.0, static_cast<double>(threads) / cores);
}

}  // namespace

std::vector<series_column> make_series_columns(const std::vector<std::string>& strategies,
                                               const std::vector<std::string>& peers) {
  std::vector<series_column> columns;
  const auto is_global = [](const std::string& name) { return name == "AS1" || name == "AS2"; };
  for (const std::string& name : strategies) {
    if (is_global(name)) columns.push_back({name, std::string(global_peer)});
  }
  for (const std::string& peer : peers) {
    for (const std::string& name : strategies) {
      if (!is_global(name)) columns.push_back({name, peer});
    }
  }
  return columns;
}

series_plan plan_locality(const locality_sizes& sizes, const series_conditions& under) {
  series_plan plan = start_plan(under);
  for (const int exponent : sizes.subsystems) {
    const std::uint64_t links_per_list = power(sizes.total.base, exponent);
    if (links_per_list > sizes.total.links) continue;
    for (const std::uint64_t accesses : sizes.accesses) {
      for (const std::uint64_t shuffles : sizes.shuffles) {
        locality_work work;
        work.lists = sizes.total.links / links_per_list;
        work.links_per_list = links_per_list;
        work.steps_per_list = accesses * links_per_list;
        work.repeats = sizes.repeats > 0 ? sizes.repeats
                                         : std::max<std::uint64_t>(1, sizes.touches / accesses);
        const std::uint64_t links = work.lists * links_per_list;
        work.moves = shuffles * links;
        work.seed = under.seed;
        work.how = sizes.how;
        const coordinates at = {{"links", static_cast<std::int64_t>(sizes.total.links)},
                                {"subsystem", exponent},
                                {"accesses", static_cast<std::int64_t>(accesses)},
                                {"shuffles", static_cast<std::int64_t>(shuffles)},
                                {"variant", std::string(to_string(sizes.how))}};
        const double steps = static_cast<double>(work.steps_per_list) *
                             static_cast<double>(work.lists) * static_cast<double>(work.repeats);
        const double expected = 30e-9 * static_cast<double>(links) +
                                80e-9 * static_cast<double>(work.moves) + 8e-9 * steps;
        add_cells(plan, under, "locality", at, work, expected, find_locality_kernel);
      }
    }
  }
  return plan;
}

series_plan plan_utilization(const std::vector<utilization_size>& sizes,
                             const series_conditions& under) {
  series_plan plan = start_plan(under);
  for (const utilization_size& size : sizes) {
    utilization_work work;
    work.blocks = power(2, size.total - size.block);
    work.active_blocks = power(2, size.active - size.block);
    work.block_bytes = power(2, size.block);
    const coordinates at = {{"total", size.total}, {"active", size.active}, {"block", size.block}};
    const double expected = 100e-9 * static_cast<double>(work.blocks);
    add_cells(plan, under, "utilization", at, work, expected, find_utilization_kernel);
  }
  return plan;
}

series_plan plan_contention(const contention_sizes& sizes, const series_conditions& under) {
  // Fewer iterations than this last no longer than it takes to start the threads.
  constexpr int least_iterations = 18;
  series_plan plan = start_plan(under);
  for (const sharing form : sizes.forms) {
    for (const int iterations : sizes.iterations) {
      for (const int block : sizes.blocks) {
        for (const unsigned threads : sizes.threads) {
          if (form == sharing::handoff && threads % 2 != 0) continue;
          contention_work work;
          work.iterations = power(2, iterations);
          work.rounds = power(2, std::max(0, least_iterations - iterations));
          work.block_bytes = power(2, block);
          work.threads = threads;
          const coordinates at = {{"iterations", iterations},
                                  {"block", block},
                                  {"threads", static_cast<std::int64_t>(threads)},
                                  {"form", std::string(to_string(form))}};
          const double expected =
              50e-9 * static_cast<double>(work.iterations * work.rounds) * waves_of(threads);
          add_cells(
              plan, under, "contention", at, work, expected,
              [form](const series_column& column) { return find_contention_kernel(column, form); });
        }
      }
    }
  }
  return plan;
}

series_plan plan_false_sharing(const false_sharing_sizes& sizes, const series_conditions& under) {
  series_plan plan = start_plan(under);
  for (const placement form : sizes.forms) {
    for (const unsigned threads : sizes.threads) {
      false_sharing_work work;
      work.increments = power(2, sizes.increments);
      work.threads = threads;
      work.seed = under.seed;
      const coordinates at = {{"form", std::string(to_string(form))},
                              {"threads", static_cast<std::int64_t>(threads)}};
      const double expected = 8e-9 * static_cast<double>(work.increments);
      add_cells(
          plan, under, "false-sharing", at, work, expected,
          [form](const series_column& column) { return find_false_sharing_kernel(column, form); });
    }
  }
  return plan;
}

std::string_view to_string(wandering how) {
  switch (how) {
    case wandering::code:
      return "code";
    case wandering::paper:
      return "paper";
    case wandering::slides:
      return "slides";
  }
  return "?";
}

std::string_view to_string(sharing form) {
  switch (form) {
    case sharing::own:
      return "own";
    case sharing::shared:
      return "shared";
    case sharing::handoff:
      return "handoff";
  }
  return "?";
}

std::string_view to_string(placement form) {
  switch (form) {
    case placement::shared_array:
      return "shared array";
    case placement::local_variable:
      return "local variable";
    case placement::arena_per_thread:
      return "arena per thread";
    case placement::objects_of_one_allocator:
      return "objects of one allocator";
    case placement::objects_of_own_arenas:
      return "objects of own arenas";
  }
  return "?";
}

}  // namespace mallard::lab
