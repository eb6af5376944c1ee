// The kernels of the series benches as templates over a family of resources.
#pragma once

#include <string_view>

#include "lab/kernels/arenas.hpp"
#include "lab/kernels/contention.hpp"
#include "lab/kernels/false_sharing.hpp"
#include "lab/kernels/locality.hpp"
#include "lab/kernels/utilization.hpp"

namespace mallard::lab {

// The kernels of one library. Null if there is no such strategy, or it makes no sense.
struct family_kernels {
  kernel_of<locality_work> (*locality)(std::string_view strategy);
  kernel_of<utilization_work> (*utilization)(std::string_view strategy);
  kernel_of<contention_work> (*contention)(std::string_view strategy, sharing form);
  kernel_of<false_sharing_work> (*false_sharing)(std::string_view strategy, placement form);
};

// Returns `pick.operator()<Arena>()` for the arena of a strategy of Table 1 with local resources
// that destroys its objects; otherwise a value-initialised result. There is no caller's buffer: AS3
// and the like start with the resource's own.
template <class Family, class Pick>
auto with_local_arena(std::string_view name, const Pick& pick) {
  using result = decltype(pick.template operator()<global_arena>());
  using enum mechanism;
  const strategy* how = find_strategy(name);
  if (!how || !how->published() || how->end != destruction::normal) return result{};
  const bool direct = how->how == binding::type_parameter;
  switch (how->what) {
    case monotonic:
      return direct ? pick.template operator()<direct_arena<Family, monotonic>>()
                    : pick.template operator()<abstract_arena<Family, monotonic>>();
    case multipool:
      return direct ? pick.template operator()<direct_arena<Family, multipool>>()
                    : pick.template operator()<abstract_arena<Family, multipool>>();
    case multipool_on_monotonic:
      return direct ? pick.template operator()<direct_arena<Family, multipool_on_monotonic>>()
                    : pick.template operator()<abstract_arena<Family, multipool_on_monotonic>>();
    case global:
      break;
  }
  return result{};
}

// `pick.operator()<Arena>()` for an allocator that threads may share.
template <class Family, class Pick>
auto with_shared_arena(std::string_view name, const Pick& pick) {
  using result = decltype(pick.template operator()<global_arena>());
  if (name == "sync") return pick.template operator()<synchronized_arena<Family>>();
  // Our own lock is compared once, not for each library.
  if constexpr (std::string_view(Family::name) == "mallard") {
    if (name == "mutex") return pick.template operator()<locked_arena<Family>>();
  }
  return result{};
}

template <class Family>
kernel_of<locality_work> locality_kernel(std::string_view strategy) {
  return with_local_arena<Family>(
      strategy, []<class Arena>() -> kernel_of<locality_work> { return run_locality<Arena>; });
}

template <class Family>
kernel_of<utilization_work> utilization_kernel(std::string_view strategy) {
  return with_local_arena<Family>(strategy, []<class Arena>() -> kernel_of<utilization_work> {
    return run_utilization<Arena>;
  });
}

template <class Arena>
kernel_of<contention_work> contention_kernel_of(sharing form) {
  return form == sharing::shared ? run_shared<Arena> : run_handoff<Arena>;
}

template <class Family>
kernel_of<contention_work> contention_kernel(std::string_view strategy, sharing form) {
  if (form == sharing::own) {
    return with_local_arena<Family>(
        strategy, []<class Arena>() -> kernel_of<contention_work> { return run_own<Arena>; });
  }
  return with_shared_arena<Family>(
      strategy, [form]<class Arena>() { return contention_kernel_of<Arena>(form); });
}

// Only by type: the placement matters, not the calls.
template <class Family>
kernel_of<false_sharing_work> false_sharing_kernel(std::string_view strategy, placement form) {
  using pool = direct_arena<Family, mechanism::multipool>;
  using bump = direct_arena<Family, mechanism::monotonic>;
  const bool pooled = strategy == "AS7";
  if (!pooled && strategy != "AS3") return nullptr;
  switch (form) {
    case placement::arena_per_thread:
      return pooled ? run_arena_per_thread<pool> : run_arena_per_thread<bump>;
    case placement::objects_of_own_arenas:
      return pooled ? run_objects_of_own_arenas<pool> : run_objects_of_own_arenas<bump>;
    case placement::objects_of_one_allocator:
      return pooled ? run_objects_of_one_allocator<pool> : run_objects_of_one_allocator<bump>;
    case placement::shared_array:
    case placement::local_variable:
      break;
  }
  return nullptr;
}

template <class Family>
constexpr family_kernels kernels_of() {
  return {locality_kernel<Family>, utilization_kernel<Family>, contention_kernel<Family>,
          false_sharing_kernel<Family>};
}

}  // namespace mallard::lab
