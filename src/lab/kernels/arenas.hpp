// The allocators of the series benches: the resources that each strategy makes, and the type of the
// pointer through which it is called.
//
// An arena has `heap()`, which returns a pointer with allocate(bytes, alignment) and deallocate(p,
// bytes, alignment), and the `allocator<T>` of containers that use it.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>

#include "lab/kernels/barrier.hpp"
#include "lab/kernels/locked_pool.hpp"
#include "lab/measuring/strategies.hpp"
#include "mallard/allocator.hpp"

namespace mallard::lab {

// AS1: calls operator new and delete directly.
class global_arena {
 public:
  struct operator_new {
    void* allocate(std::size_t bytes, std::size_t) { return ::operator new(bytes); }
    void deallocate(void* p, std::size_t, std::size_t) noexcept { ::operator delete(p); }
  };
  template <class T>
  using allocator = std::allocator<T>;

  operator_new* heap() { return &heap_; }
  // For containers.
  template <class T>
  std::allocator<T> make_allocator() {
    return {};
  }

 private:
  [[no_unique_address]] operator_new heap_;
};

// One strategy's resources of one library.
template <class Family, mechanism What>
struct arena_resources;

template <class Family>
struct arena_resources<Family, mechanism::monotonic> {
  using outermost = typename Family::monotonic;
  outermost top;
};

template <class Family>
struct arena_resources<Family, mechanism::multipool> {
  using outermost = typename Family::multipool;
  outermost top;
};

template <class Family>
struct arena_resources<Family, mechanism::multipool_on_monotonic> {
  using outermost = typename Family::multipool;
  typename Family::monotonic below;
  outermost top{&below};
};

// Bound by type: calls the resource directly.
template <class Family, mechanism What>
class direct_arena {
  using resource = typename arena_resources<Family, What>::outermost;

 public:
  template <class T>
  using allocator = mallard::allocator<T, resource>;

  resource* heap() { return &resources_.top; }
  template <class T>
  allocator<T> make_allocator() {
    return allocator<T>(heap());
  }

 private:
  arena_resources<Family, What> resources_;
};

// Bound by abstract base. The pointer's origin is hidden from the compiler, so that virtual calls
// stay virtual in the machine code.
template <class Family, mechanism What>
class abstract_arena {
 public:
  template <class T>
  using allocator = typename Family::template polymorphic<T>;

  typename Family::base* heap() {
    return launder_pointer(static_cast<typename Family::base*>(&resources_.top));
  }
  template <class T>
  allocator<T> make_allocator() {
    return allocator<T>(heap());
  }

 private:
  arena_resources<Family, What> resources_;
};

// AS2: operator new and delete behind an abstract base. The libraries' own resources do not serve:
// libstdc++'s requests aligned memory, which takes another path through malloc.
class abstract_global_arena {
  class operator_new_resource final : public std::pmr::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t) override { return ::operator new(bytes); }
    void do_deallocate(void* p, std::size_t, std::size_t) override { ::operator delete(p); }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
      return this == &other;
    }
  };

 public:
  template <class T>
  using allocator = std::pmr::polymorphic_allocator<T>;

  std::pmr::memory_resource* heap() {
    static operator_new_resource shared;
    return launder_pointer(static_cast<std::pmr::memory_resource*>(&shared));
  }
  template <class T>
  allocator<T> make_allocator() {
    return allocator<T>(heap());
  }
};

// "sync": a pool that threads may share, by abstract base.
template <class Family>
class synchronized_arena {
 public:
  typename Family::base* heap() {
    return launder_pointer(static_cast<typename Family::base*>(&pool_));
  }

 private:
  typename Family::synchronized pool_;
};

// "mutex": a lock around a single-threaded pool, as a user would write it.
template <class Family>
class locked_arena {
 public:
  locked_pool<Family>* heap() { return &heap_; }

 private:
  locked_pool<Family> heap_;
};

}  // namespace mallard::lab
