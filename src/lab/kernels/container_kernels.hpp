// The kernels as templates over a family of resources. They say which resources a run makes, how
// containers reach them, and how they end. All of this is timed.
#pragma once

#include <new>
#include <type_traits>

#include "lab/kernels/pick.hpp"
#include "mallard/allocator.hpp"

namespace mallard::lab {

// The original's adaptor by type writes a byte into each block; the other ways do not.
template <class T, class Resource>
class touching_allocator : public allocator<T, Resource> {
 public:
  template <class U>
  struct rebind {
    using other = touching_allocator<U, Resource>;
  };
  touching_allocator(Resource* resource) noexcept : allocator<T, Resource>(resource) {}
  template <class U>
  touching_allocator(const touching_allocator<U, Resource>& other) noexcept
      : allocator<T, Resource>(other.resource()) {}
  T* allocate(std::size_t count) {
    T* block = allocator<T, Resource>::allocate(count);
    *const_cast<volatile char*>(reinterpret_cast<char*>(block)) = '\0';
    return block;
  }
};

template <class Resource>
struct bind_direct {
  template <class T>
  using fair = allocator<T, Resource>;
  template <class T>
  using paper = touching_allocator<T, Resource>;
  using fair_allocators = direct_allocators<fair>;
  using paper_allocators = direct_allocators<paper>;
  template <class Mode>
  using allocators = std::conditional_t<Mode::paper, paper_allocators, fair_allocators>;
  static Resource* pointer(Resource& resource) { return &resource; }
};

template <class Family>
struct bind_abstract {
  template <class Mode>
  using allocators = abstract_allocators<Family::template polymorphic>;
  static typename Family::base* pointer(typename Family::base& resource) {
    return launder_pointer(&resource);
  }
};

// A monotonic resource in the caller's buffer, or without one.
template <class Monotonic>
Monotonic make_monotonic(const container_work& job) {
  return job.buffer.empty() ? Monotonic() : Monotonic(job.buffer.data(), job.buffer.size());
}

// Builds the container in (or with) the resource and drops it.
template <class Container, class Mode, destruction End, class Resource>
void build(Resource* resource, container_work& job) {
  const typename Container::allocator_type handle(resource);
  if constexpr (End == destruction::winked_out) {
    void* place = resource->allocate(sizeof(Container), alignof(Container));
    fill<Mode>(*::new (place) Container(handle), job);
  } else {
    Container container(handle);
    fill<Mode>(container, job);
  }
}

template <class Family, mechanism What, destruction End, class Binding, class Mode>
struct resource_runner {
  using pool = typename Family::multipool;

  template <class Container>
  static void run(container_work& job, std::uint64_t runs) {
    for (std::uint64_t i = 0; i < runs; ++i) {
      if constexpr (What == mechanism::global) {
        build<Container, Mode, End>(launder_pointer(Family::new_delete()), job);
      } else if constexpr (What == mechanism::multipool) {
        pool resource;
        build<Container, Mode, End>(Binding::pointer(resource), job);
      } else {
        auto arena = make_monotonic<typename Family::monotonic>(job);
        if constexpr (What == mechanism::monotonic) {
          build<Container, Mode, End>(Binding::pointer(arena), job);
        } else if constexpr (End == destruction::winked_out) {
          // The pool itself lives in the arena and is winked out with it.
          pool* resource = ::new (arena.allocate(sizeof(pool), alignof(pool))) pool(&arena);
          build<Container, Mode, End>(Binding::pointer(*resource), job);
        } else {
          pool resource(&arena);
          build<Container, Mode, End>(Binding::pointer(resource), job);
        }
      }
    }
  }
};

template <class Family, mechanism What, class Binding, destruction End, class Mode>
container_kernel pick(int ds) {
  return pick_structure<shapes<typename Binding::template allocators<Mode>, Mode>,
                        resource_runner<Family, What, End, Binding, Mode>>(ds);
}

template <class Family, mechanism What, class Binding>
container_kernel pick(int ds, destruction end, fairness choices) {
  using enum destruction;
  if (choices == fairness::paper) {
    return end == normal ? pick<Family, What, Binding, normal, paper_mode>(ds)
                         : pick<Family, What, Binding, winked_out, paper_mode>(ds);
  }
  return end == normal ? pick<Family, What, Binding, normal, fair_mode>(ds)
                       : pick<Family, What, Binding, winked_out, fair_mode>(ds);
}

// CMake makes one translation unit for each of these and each family.

template <class Family>
container_kernel monotonic_kernel(int ds, const strategy& how, fairness choices) {
  using bound = bind_direct<typename Family::monotonic>;
  return pick<Family, mechanism::monotonic, bound>(ds, how.end, choices);
}

template <class Family>
container_kernel multipool_kernel(int ds, const strategy& how, fairness choices) {
  using bound = bind_direct<typename Family::multipool>;
  return how.what == mechanism::multipool
             ? pick<Family, mechanism::multipool, bound>(ds, how.end, choices)
             : pick<Family, mechanism::multipool_on_monotonic, bound>(ds, how.end, choices);
}

template <class Family>
container_kernel abstract_kernel(int ds, const strategy& how, fairness choices) {
  using bound = bind_abstract<Family>;
  switch (how.what) {
    case mechanism::global:
      if constexpr (requires { Family::new_delete(); }) {
        return pick<Family, mechanism::global, bound>(ds, how.end, choices);
      }
      break;
    case mechanism::monotonic:
      return pick<Family, mechanism::monotonic, bound>(ds, how.end, choices);
    case mechanism::multipool:
      return pick<Family, mechanism::multipool, bound>(ds, how.end, choices);
    case mechanism::multipool_on_monotonic:
      return pick<Family, mechanism::multipool_on_monotonic, bound>(ds, how.end, choices);
  }
  return nullptr;
}

}  // namespace mallard::lab
