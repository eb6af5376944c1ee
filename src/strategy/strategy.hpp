// Purpose: the allocation strategies, each with everything that is known of it, in one table.
//
//   facts_of(strategy::multipool).name      // "multipool": on command lines, in JSON
//   facts_of(strategy::multipool).replay    // "AS9": in replays and benches
//   facts_of(strategy::multipool).type      // "mallard::multipool_resource": in C++
//
// The advice, what-if, the library that routes blocks, and replays share it. A new
// strategy is an enumerator, a row here, and a case in the code that makes its resource.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mallard {

enum class strategy : std::uint8_t {
  global,         // the program's malloc, as it is
  switch_malloc,  // another malloc for the whole program
  monotonic,
  multipool,
  multipool_on_monotonic,
  synchronized_multipool,
  heap,
  synchronized_heap,
  adaptive_pool,
};

struct strategy_facts {
  strategy is;
  std::string_view name;
  std::string_view given;   // after "Give parse_request"
  std::string_view replay;  // in replays, bound by abstract base; empty: they do not have it
  std::string_view header;  // of the resource; empty: there is none
  std::string_view type;
  strategy routed_as;  // on the living program, where one thread uses it; global: it has no route
  strategy shared_as;  // where several threads use it
};

inline constexpr std::array strategies = {
    strategy_facts{strategy::global, "leave", "", "AS2", "", "", strategy::global,
                   strategy::global},
    strategy_facts{strategy::switch_malloc, "switch-malloc", "", "", "", "", strategy::global,
                   strategy::switch_malloc},
    strategy_facts{strategy::monotonic, "monotonic", "a monotonic resource", "AS5",
                   "mallard/monotonic.hpp", "mallard::monotonic_resource", strategy::monotonic,
                   strategy::monotonic},
    strategy_facts{strategy::multipool, "multipool", "a multipool", "AS9", "mallard/multipool.hpp",
                   "mallard::multipool_resource", strategy::multipool,
                   strategy::synchronized_multipool},
    strategy_facts{strategy::multipool_on_monotonic, "multipool-on-monotonic",
                   "a multipool on a monotonic resource", "AS13", "mallard/multipool.hpp",
                   "mallard::multipool_resource", strategy::multipool_on_monotonic,
                   strategy::multipool_on_monotonic},
    strategy_facts{strategy::synchronized_multipool, "synchronized-multipool",
                   "a synchronized multipool", "sync", "mallard/synchronized_multipool.hpp",
                   "mallard::synchronized_multipool_resource", strategy::multipool,
                   strategy::synchronized_multipool},
    strategy_facts{strategy::heap, "heap", "a heap of its own", "heap", "mallard/heap.hpp",
                   "mallard::heap_resource", strategy::heap, strategy::synchronized_heap},
    strategy_facts{strategy::synchronized_heap, "synchronized-heap",
                   "a synchronized heap of its own", "sync-heap", "mallard/synchronized_heap.hpp",
                   "mallard::synchronized_heap_resource", strategy::heap,
                   strategy::synchronized_heap},
    strategy_facts{strategy::adaptive_pool, "adaptive-pool", "an adaptive pool", "adaptive",
                   "mallard/adaptive_pool.hpp", "mallard::adaptive_pool_resource",
                   strategy::adaptive_pool, strategy::adaptive_pool},
};

constexpr const strategy_facts& facts_of(strategy which) {
  return strategies[static_cast<std::size_t>(which)];
}

constexpr std::string_view to_string(strategy which) {
  return facts_of(which).name;
}

// Blocks come from a resource of their own.
constexpr bool has_resource(strategy which) {
  return !facts_of(which).type.empty();
}

// Everything is given back at once, when a scope ends.
constexpr bool is_arena(strategy which) {
  return which == strategy::monotonic || which == strategy::multipool_on_monotonic;
}

// It can be named in a route: what several threads share is chosen by the route itself.
constexpr bool is_route(strategy which) {
  return has_resource(which) && facts_of(which).routed_as == which;
}

// By its name; not set: there is none of that name.
constexpr std::optional<strategy> find_strategy(std::string_view name) {
  for (const strategy_facts& one : strategies) {
    if (one.name == name) return one.is;
  }
  return std::nullopt;
}

}  // namespace mallard
