#include "whatif/route_cost.hpp"

#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "lab/kernels/barrier.hpp"
#include "lab/measuring/executed.hpp"
#include "mallard/multipool.hpp"
#include "route/session.hpp"

namespace mallard::whatif {
namespace {

constexpr unsigned turns = 400'000;

double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Seconds for a block: the oldest of some is freed for each that is allocated.
template <class Allocate, class Free>
double time_blocks(const Allocate& allocate, const Free& free_one) {
  constexpr std::size_t alive = 64;
  std::array<void*, alive> blocks{};
  std::array<std::size_t, alive> sizes{};
  double began = 0;
  for (unsigned turn = 0; turn < turns + turns / 4; ++turn) {
    if (turn == turns / 4) began = now();
    const std::size_t at = turn % alive;
    if (blocks[at] != nullptr) free_one(blocks[at], sizes[at]);
    sizes[at] = 16 + turn * 16 % 208;
    blocks[at] = allocate(sizes[at]);
    *static_cast<volatile char*>(blocks[at]) = 1;
  }
  const double passed = now() - began;
  for (std::size_t at = 0; at < alive; ++at) free_one(blocks[at], sizes[at]);
  return passed / turns;
}

void measure(const void*, const lab::circumstances&, lab::readings& taken) {
  taken.add("malloc", time_blocks([](std::size_t bytes) { return std::malloc(bytes); },
                                  [](void* block, std::size_t) { std::free(block); }));
  multipool_resource pool;
  std::pmr::memory_resource* const resource =
      lab::launder_pointer(static_cast<std::pmr::memory_resource*>(&pool));
  taken.add(
      "resource",
      time_blocks([=](std::size_t bytes) { return resource->allocate(bytes, 16); },
                  [=](void* block, std::size_t bytes) { resource->deallocate(block, bytes, 16); }));
}

const lab::executed_kernel kernel("route_cost", measure);

}  // namespace

double measure_route_cost(const std::filesystem::path& program, const std::string& library,
                          route_session& session) {
  route::route_rule all;
  all.how = route::strategy::multipool;
  lab::task what;
  what.name = "route_cost";
  what.prepares_itself = true;
  using purpose = route_session::purpose;
  const auto run = [&](const std::string& preloaded, purpose how, const char* reading) {
    session.prepare({all}, how);
    lab::contender on;
    on.process = lab::process_kind::executed;
    on.library = preloaded;
    const lab::outcome got = lab::run_executed(program, on, what, {.timeout_seconds = 10}, nullptr);
    return got.ok() ? got.value_of(reading) : -1;
  };
  setenv(route::session_variable, session.path().c_str(), 1);
  // The fastest of some of each: nothing disturbs that one.
  double plain = 1, resource = 1, hooked = 1, routed = 1;
  const auto take = [](double& least, double seconds) { least = std::min(least, seconds); };
  for (int repetition = 0; repetition < 5; ++repetition) {
    take(plain, run({}, purpose::looks, "malloc"));
    take(resource, run({}, purpose::looks, "resource"));
    take(hooked, run(library, purpose::looks, "malloc"));
    take(routed, run(library, purpose::counts, "malloc"));
  }
  unsetenv(route::session_variable);
  if (std::min({plain, resource, hooked, routed}) <= 0) return 0;
  return std::max(0.0, routed - resource - (hooked - plain));
}

}  // namespace mallard::whatif
