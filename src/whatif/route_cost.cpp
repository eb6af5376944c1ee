#include "whatif/route_cost.hpp"

#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory_resource>

#include "lab/kernels/barrier.hpp"
#include "lab/measuring/executed.hpp"
#include "mallard/adaptive_pool.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/profile.hpp"
#include "whatif/pattern.hpp"
#include "whatif/route_session.hpp"

namespace mallard::whatif {
namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Seconds for a block: the oldest of some is freed for each that is allocated. In scopes, at the
// end of which nothing lives and `renew` is called.
template <class Allocate, class Free, class Renew>
double time_blocks(const Allocate& allocate, const Free& free_one, const Renew& renew) {
  constexpr unsigned turns = 1024;
  constexpr unsigned rounds = 120;
  constexpr std::size_t alive = 64;
  std::array<void*, alive> blocks{};
  std::array<std::size_t, alive> sizes{};
  double began = 0;
  for (unsigned round = 0; round < rounds + rounds / 4; ++round) {
    if (round == rounds / 4) began = now();
    {
      MALLARD_SCOPE("mallard route cost");
      for (unsigned turn = 0; turn < turns; ++turn) {
        const std::size_t at = turn % alive;
        if (blocks[at] != nullptr) free_one(blocks[at], sizes[at]);
        sizes[at] = 16 + turn * 16 % 208;
        blocks[at] = allocate(sizes[at]);
        *static_cast<volatile char*>(blocks[at]) = 1;
      }
      for (std::size_t at = 0; at < alive; ++at) free_one(blocks[at], sizes[at]);
      blocks = {};
    }
    renew();
  }
  return (now() - began) / (turns * rounds);
}

template <class Renew>
double time_resource(std::pmr::memory_resource& of, const Renew& renew) {
  std::pmr::memory_resource* const resource = lab::launder_pointer(&of);
  return time_blocks(
      [=](std::size_t bytes) { return resource->allocate(bytes, 16); },
      [=](void* block, std::size_t bytes) { resource->deallocate(block, bytes, 16); }, renew);
}

double time_strategy(route::strategy how) {
  const auto nothing = [] {};
  switch (how) {
    case route::strategy::monotonic: {
      monotonic_resource arena;
      return time_resource(arena, [&] { arena.rewind(); });
    }
    case route::strategy::multipool_on_monotonic: {
      monotonic_resource arena;
      multipool_resource pool(&arena);
      return time_resource(pool, [&] {
        pool.release();
        arena.rewind();
      });
    }
    case route::strategy::multipool: {
      multipool_resource pool;
      return time_resource(pool, nothing);
    }
    case route::strategy::heap: {
      heap_resource heap;
      return time_resource(heap, nothing);
    }
    case route::strategy::adaptive_pool:
      break;
  }
  adaptive_pool_resource pool;
  return time_resource(pool, nothing);
}

void measure(const void* work, const lab::circumstances&, lab::readings& taken) {
  taken.add("malloc", time_blocks([](std::size_t bytes) { return std::malloc(bytes); },
                                  [](void* block, std::size_t) { std::free(block); }, [] {}));
  taken.add("resource", time_strategy(*static_cast<const route::strategy*>(work)));
}

const lab::executed_kernel kernel("route_cost", measure);

class route_meter {
 public:
  route_meter(const std::filesystem::path& program, const std::string& library)
      : program_(program), library_(library), session_(scope_, false) {}

  route_cost measure(route::strategy how) {
    rule_.how = how;
    rule_.scopes = rule_.is_scoped() ? 1 : 0;
    setenv(route::session_variable, session_.path().c_str(), 1);
    // The fastest of some of each: nothing disturbs that one.
    double plain = 1, resource = 1, hooked = 1, routed = 1;
    const auto take = [](double& least, double seconds) { least = std::min(least, seconds); };
    using purpose = route_session::purpose;
    for (int repetition = 0; repetition < 5; ++repetition) {
      take(plain, run({}, purpose::looks, "malloc"));
      take(resource, run({}, purpose::looks, "resource"));
      take(hooked, run(library_, purpose::looks, "malloc"));
      take(routed, run(library_, purpose::counts, "malloc"));
    }
    unsetenv(route::session_variable);
    if (std::min({plain, resource, hooked, routed}) <= 0) return {};
    constexpr double least_error = 1e-9;
    const double seconds = std::max(0.0, routed - resource - (hooked - plain));
    return {seconds, std::max(least_error, seconds / 4)};
  }

 private:
  double run(const std::string& preloaded, route_session::purpose how, const char* reading) {
    session_.prepare({rule_}, how);
    lab::task what;
    what.name = "route_cost";
    what.work = lab::bytes_of(rule_.how);
    what.prepares_itself = true;
    lab::contender on;
    on.process = lab::process_kind::executed;
    on.library = preloaded;
    const lab::outcome got =
        lab::run_executed(program_, on, what, {.timeout_seconds = 10}, nullptr);
    return got.ok() ? got.value_of(reading) : -1;
  }

  std::filesystem::path program_;
  std::string library_;
  conditions scope_{.functions = {}, .modules = {}, .scopes = {"mallard route cost"}};
  route_session session_;
  route::route_rule rule_;
};

}  // namespace

std::map<route::strategy, route_cost> measure_route_costs(const std::filesystem::path& program,
                                                          const std::string& library,
                                                          const std::set<route::strategy>& of) {
  std::map<route::strategy, route_cost> out;
  if (of.empty()) return out;
  route_meter meter(program, library);
  for (const route::strategy how : of) {
    const route_cost found = meter.measure(how);
    if (found.error > 0) out[how] = found;
  }
  return out;
}

}  // namespace mallard::whatif
