#include "whatif/route_cost.hpp"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory_resource>
#include <random>
#include <utility>
#include <vector>

#include "lab/kernels/barrier.hpp"
#include "lab/measuring/executed.hpp"
#include "lab/measuring/meters.hpp"
#include "mallard/adaptive_pool.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/profile.hpp"
#include "whatif/pattern.hpp"
#include "whatif/route_session.hpp"

namespace mallard::whatif {
namespace {

constexpr const char* reading = "seconds";
constexpr std::uint32_t few_live = 64;

struct cost_work {
  route::strategy how;
  std::uint32_t live;  // blocks
  bool resource;       // by it; else by malloc
};

// Seconds for a block: one of those that live is freed for each that is allocated, the oldest of
// few, else any. In scopes, at the end of which nothing lives and `renew` is called.
template <class Allocate, class Free, class Renew>
double time_blocks(std::uint32_t live, const Allocate& allocate, const Free& free_one,
                   const Renew& renew) {
  const unsigned turns = std::max(1024u, 4 * live);
  const unsigned rounds = std::max(2u, 120 * 1024 / turns);
  const unsigned first_rounds = std::max(1u, rounds / 4);  // that do not count
  std::vector<void*> blocks(live);
  std::vector<std::size_t> sizes(live);
  std::minstd_rand random(1);
  double began = 0;
  for (unsigned round = 0; round < rounds + first_rounds; ++round) {
    if (round == first_rounds) began = lab::read_thread_seconds();
    {
      MALLARD_SCOPE("mallard route cost");
      for (unsigned turn = 0; turn < turns; ++turn) {
        const std::size_t at = (live <= few_live ? turn : random()) % live;
        if (blocks[at] != nullptr) free_one(blocks[at], sizes[at]);
        sizes[at] = 16 + turn * 16 % 208;
        blocks[at] = allocate(sizes[at]);
        *static_cast<volatile char*>(blocks[at]) = 1;
      }
      for (std::size_t at = 0; at < live; ++at) {
        if (blocks[at] != nullptr) free_one(blocks[at], sizes[at]);
        blocks[at] = nullptr;
      }
    }
    renew();
  }
  return (lab::read_thread_seconds() - began) / (turns * rounds);
}

template <class Renew>
double time_resource(std::uint32_t live, std::pmr::memory_resource& of, const Renew& renew) {
  std::pmr::memory_resource* const resource = lab::launder_pointer(&of);
  return time_blocks(
      live, [=](std::size_t bytes) { return resource->allocate(bytes, 16); },
      [=](void* block, std::size_t bytes) { resource->deallocate(block, bytes, 16); }, renew);
}

double time_strategy(route::strategy how, std::uint32_t live) {
  const auto nothing = [] {};
  switch (how) {
    case route::strategy::monotonic: {
      monotonic_resource arena;
      return time_resource(live, arena, [&] { arena.rewind(); });
    }
    case route::strategy::multipool_on_monotonic: {
      monotonic_resource arena;
      multipool_resource pool(&arena);
      return time_resource(live, pool, [&] {
        pool.release();
        arena.rewind();
      });
    }
    case route::strategy::multipool: {
      multipool_resource pool;
      return time_resource(live, pool, nothing);
    }
    case route::strategy::heap: {
      heap_resource heap;
      return time_resource(live, heap, nothing);
    }
    case route::strategy::adaptive_pool:
      break;
  }
  adaptive_pool_resource pool;
  return time_resource(live, pool, nothing);
}

void measure(const void* bytes, const lab::circumstances&, lab::readings& taken) {
  const cost_work& work = *static_cast<const cost_work*>(bytes);
  taken.add(reading, work.resource
                         ? time_strategy(work.how, work.live)
                         : time_blocks(
                               work.live, [](std::size_t size) { return std::malloc(size); },
                               [](void* block, std::size_t) { std::free(block); }, [] {}));
}

const lab::executed_kernel kernel("route_cost", measure);

class route_meter {
 public:
  route_meter(const std::filesystem::path& program, const std::string& library)
      : program_(program), library_(library), session_(scope_, false) {}

  route_cost measure(route::strategy how, std::uint32_t live) {
    rule_.how = how;
    rule_.scopes = rule_.is_scoped() ? 1 : 0;
    setenv(route::session_variable, session_.path().c_str(), 1);
    const route_cost out = measure({how, live, false});
    unsetenv(route::session_variable);
    return out;
  }

 private:
  route_cost measure(cost_work work) {
    // The fastest of some of each: nothing disturbs that one.
    double plain = 1, resource = 1, hooked = 1, routed = 1;
    const auto take = [](double& least, double seconds) { least = std::min(least, seconds); };
    using purpose = route_session::purpose;
    const int repetitions = work.live <= few_live ? 5 : 3;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      work.resource = true;
      take(resource, run({}, purpose::looks, work));
      work.resource = false;
      take(plain, run({}, purpose::looks, work));
      take(hooked, run(library_, purpose::looks, work));
      take(routed, run(library_, purpose::counts, work));
    }
    if (std::min({plain, resource, hooked, routed}) <= 0) return {};
    constexpr double least_error = 1e-9;
    const double seconds = std::max(0.0, routed - resource - (hooked - plain));
    return {seconds, std::max(least_error, seconds / 4)};
  }

  double run(const std::string& preloaded, route_session::purpose how, const cost_work& work) {
    session_.prepare({rule_}, how);
    lab::task what;
    what.name = "route_cost";
    what.work = lab::bytes_of(work);
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

route_cost route_costs::of(double live_blocks) const {
  if (by_live_.empty()) return {};
  const auto above = by_live_.lower_bound(live_blocks);
  if (above == by_live_.begin()) return above->second;
  if (above == by_live_.end()) return by_live_.rbegin()->second;
  const auto below = std::prev(above);
  const double part = std::log(live_blocks / below->first) / std::log(above->first / below->first);
  return {std::lerp(below->second.seconds, above->second.seconds, part),
          std::lerp(below->second.error, above->second.error, part)};
}

std::map<route::strategy, route_costs> measure_route_costs(const std::filesystem::path& program,
                                                           const std::string& library,
                                                           const std::set<route::strategy>& of,
                                                           double most_seconds) {
  std::map<route::strategy, route_costs> out;
  if (of.empty()) return out;
  route_meter meter(program, library);
  const auto began = std::chrono::steady_clock::now();
  for (const std::uint32_t live : {few_live, 64 * few_live, 512 * few_live}) {
    for (const route::strategy how : of) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
      if (most_seconds > 0 && live > few_live && passed.count() > most_seconds) return out;
      const route_cost found = meter.measure(how, live);
      if (found.error > 0) out[how].add(live, found);
    }
  }
  return out;
}

}  // namespace mallard::whatif
