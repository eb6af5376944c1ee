#include "lab/malloc_plans.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

namespace mallard::lab {
namespace {

// Starting a process and bringing its figures back.
constexpr double seconds_per_process = 0.02;

malloc_plan start_plan(malloc_bench bench, const malloc_conditions& under) {
  malloc_plan plan;
  plan.bench = to_string(bench);
  plan.allocators = under.allocators;
  plan.program = under.program;
  plan.repetitions = under.repetitions;
  plan.seed = under.seed;
  plan.timeout_seconds = under.timeout_seconds;
  return plan;
}

coordinate number(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

coordinate word(const char* text) {
  return std::string(text);
}

// Rough seconds of threads that all do the same on the processors that there are.
double spread(unsigned threads, double seconds_of_one) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return seconds_per_process + seconds_of_one * std::max(1.0, static_cast<double>(threads) / cores);
}

// A place for each number of threads.
template <class At>
malloc_plan plan_threads(const thread_counts& threads, const malloc_job& what,
                         const malloc_conditions& under, double seconds_of_one, const At& at) {
  malloc_plan plan = start_plan(what.bench, under);
  for (const unsigned count : threads) {
    malloc_place place{at(count), what, spread(count, seconds_of_one)};
    place.at["threads"] = number(count);
    place.what.threads = count;
    place.what.seed = under.seed;
    plan.places.push_back(std::move(place));
  }
  return plan;
}

}  // namespace

malloc_plan plan_churn(const thread_counts& threads, const malloc_job& what,
                       const malloc_conditions& under) {
  const double seconds = 60e-9 * static_cast<double>(what.operations);
  return plan_threads(threads, what, under, seconds, [&](unsigned) {
    return coordinates{{"sharing", word(what.shared_spots ? "shared" : "private")},
                       {"spots", number(what.slots)},
                       {"objects", number(what.operations)}};
  });
}

malloc_plan plan_cache(const thread_counts& threads, const malloc_job& what, bool total_work,
                       const malloc_conditions& under) {
  const double seconds = 1.5e-9 * static_cast<double>(what.operations * what.touches);
  malloc_plan plan = plan_threads(threads, what, under, seconds, [&](unsigned) {
    return coordinates{{"size", number(what.sizes.shares()[0].bytes)},
                       {"work", word(total_work ? "total" : "per-thread")},
                       {"iterations", number(what.operations)},
                       {"touches", number(what.touches)}};
  });
  for (malloc_place& place : plan.places) {
    if (!total_work) continue;
    place.what.touches = std::max<std::uint64_t>(1, what.touches / place.what.threads);
    place.expected_seconds = seconds_per_process + seconds;
  }
  return plan;
}

malloc_plan plan_speed(const thread_counts& threads, const malloc_job& what,
                       const malloc_conditions& under) {
  const double seconds = 2e-6 * static_cast<double>(what.operations);
  return plan_threads(threads, what, under, seconds,
                      [&](unsigned) { return coordinates{{"objects", number(what.operations)}}; });
}

malloc_plan plan_memory(const std::vector<memory_team>& teams, const malloc_job& what,
                        const malloc_conditions& under) {
  malloc_plan plan = start_plan(what.bench, under);
  for (const memory_team& team : teams) {
    malloc_place place;
    place.at = {{"producers", number(team.producers)},
                {"consumers", number(team.consumers)},
                {"objects", number(what.operations)}};
    place.what = what;
    place.what.threads = team.producers;
    place.what.consumers = team.consumers;
    place.what.seed = under.seed;
    const double buffers = static_cast<double>(team.producers) * team.consumers;
    place.expected_seconds =
        seconds_per_process + 300e-9 * static_cast<double>(what.operations) * buffers;
    plan.places.push_back(std::move(place));
  }
  return plan;
}

malloc_plan plan_larson(const thread_counts& threads, const malloc_job& what, size_range sizes,
                        std::uint64_t rounds, const malloc_conditions& under) {
  malloc_job job = what;
  job.sizes = size_mix::range(sizes.low, sizes.high);
  job.operations = what.slots * rounds;
  malloc_plan plan = plan_threads(threads, job, under, 0, [&](unsigned) {
    return coordinates{{"min", number(sizes.low)},
                       {"max", number(sizes.high)},
                       {"chunks", number(what.slots)},
                       {"rounds", number(rounds)}};
  });
  for (malloc_place& place : plan.places) place.expected_seconds += what.seconds;
  return plan;
}

malloc_plan plan_remote_free(const thread_counts& threads, const malloc_job& what,
                             const std::vector<std::uint32_t>& blocks,
                             const malloc_conditions& under) {
  malloc_plan plan = start_plan(what.bench, under);
  for (const std::uint32_t bytes : blocks) {
    malloc_job job = what;
    job.sizes = size_mix::fixed(bytes);
    const double seconds = 150e-9 * static_cast<double>(what.operations);
    const malloc_plan part = plan_threads(threads, job, under, seconds, [&](unsigned) {
      return coordinates{{"block", number(bytes)},
                         {"batch", number(what.batch)},
                         {"form", word(what.ping_pong ? "ping-pong" : "one-way")}};
    });
    plan.places.insert(plan.places.end(), part.places.begin(), part.places.end());
  }
  return plan;
}

malloc_plan plan_mixed(const thread_counts& threads, const malloc_job& what, size_range sizes,
                       const malloc_conditions& under) {
  malloc_job job = what;
  job.sizes = size_mix::log_uniform(sizes.low, sizes.high);
  const double seconds = 1.5e-6 * static_cast<double>(what.operations);
  return plan_threads(threads, job, under, seconds, [&](unsigned) {
    return coordinates{
        {"live", number(what.slots)}, {"low", number(sizes.low)}, {"high", number(sizes.high)}};
  });
}

}  // namespace mallard::lab
