#include "lab/kernels/family_mallard.hpp"
#include "mallard/adaptive_pool.hpp"
#include "mallard/heap.hpp"
#include "mallard/synchronized_heap.hpp"
#include "replay/run_lanes.hpp"

namespace mallard::replay::detail {
namespace {

using base = lab::mallard_family::base;

// One for each lane, without a buffer.
template <class Resource>
class lane_resource {
 public:
  using outermost = Resource;
  explicit lane_resource(std::span<std::byte>) {}
  outermost& top() { return resource_; }
  void end_epoch(bool) {}

 private:
  Resource resource_;
};

template <class Resource>
run_result run_own(const program_view& what, const run_setting& how,
                   void (*fail)(std::string_view)) {
  using own = strategy_memory<lane_resource<Resource>, base>;
  return run_lanes<own, global_heap>(what, how, 0, fail,
                                     [](auto room) { return std::make_unique<own>(room); });
}

}  // namespace

run_function find_mallard_run(std::string_view strategy) {
  if (strategy == "heap") return run_own<heap_resource>;
  if (strategy == "adaptive") return run_own<adaptive_pool_resource>;
  if (strategy == "sync-heap") {
    return [](const program_view& what, const run_setting& how, void (*fail)(std::string_view)) {
      using own = shared_memory<base>;
      synchronized_heap_resource heap;
      return run_lanes<own, global_heap>(what, how, 0, fail,
                                         [&](auto) { return std::make_unique<own>(heap); });
    };
  }
  return find_family_run<lab::mallard_family>(strategy);
}

}  // namespace mallard::replay::detail
