// Targets of replayed operations: the global heap, a strategy's resource, or nowhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory_resource>
#include <new>
#include <optional>
#include <span>

#include "lab/kernels/barrier.hpp"
#include "lab/kernels/locked_pool.hpp"

namespace mallard::replay {

// The global heap, by the recorded calls: operator new goes through operator new.
class global_heap {
 public:
  static constexpr bool has_memory = true;

  void* allocate(std::size_t bytes, std::size_t alignment, bool zero, bool by_new = false) {
    if (by_new) return ::operator new(bytes);
    void* p = nullptr;
    if (alignment > alignof(std::max_align_t)) [[unlikely]] {
      if (posix_memalign(&p, alignment, bytes) != 0) throw std::bad_alloc();
      if (zero) std::memset(p, 0, bytes);
    } else {
      p = zero ? std::calloc(1, bytes) : std::malloc(bytes);
    }
    if (p == nullptr) [[unlikely]]
      throw std::bad_alloc();
    return p;
  }
  void* reallocate(void* p, std::size_t, std::size_t, std::size_t bytes, std::size_t) {
    void* const moved = std::realloc(p, std::max<std::size_t>(bytes, 1));
    if (moved == nullptr) [[unlikely]]
      throw std::bad_alloc();
    return moved;
  }
  void deallocate(void* p, std::size_t bytes, std::size_t, bool by_new = false) {
    if (by_new) return ::operator delete(p, bytes);
    std::free(p);
  }
  void end_epoch(bool) {}
};

// Does nothing and touches nothing, which leaves the cost of the loop.
class nowhere {
 public:
  static constexpr bool has_memory = false;

  void* allocate(std::size_t, std::size_t, bool, bool) { return &byte_; }
  void* reallocate(void* p, std::size_t, std::size_t, std::size_t, std::size_t) { return p; }
  void deallocate(void*, std::size_t, std::size_t, bool) {}
  void end_epoch(bool) {}

 private:
  char byte_ = 0;
};

// A resource has neither zeroed blocks nor a reallocation, so a program using it would do both
// itself, as this does. Resource: a resource's type, or std::pmr::memory_resource and the like for
// virtual calls.
template <class Resource>
class resource_calls {
 public:
  static constexpr bool has_memory = true;

  explicit resource_calls(Resource* resource) : resource_(resource) {}

  void* allocate(std::size_t bytes, std::size_t alignment, bool zero, bool) {
    void* const p = resource_->allocate(bytes, alignment);
    if (zero) [[unlikely]]
      std::memset(p, 0, bytes);
    return p;
  }
  void* reallocate(void* p, std::size_t old_bytes, std::size_t old_alignment, std::size_t bytes,
                   std::size_t alignment) {
    void* const moved = resource_->allocate(bytes, alignment);
    std::memcpy(moved, p, std::min(old_bytes, bytes));
    resource_->deallocate(p, old_bytes, old_alignment);
    return moved;
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment, bool) {
    resource_->deallocate(p, bytes, alignment);
  }

 protected:
  Resource* resource_;
};

// The global heap as an abstract base.
class global_resource final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return heap_.allocate(bytes, alignment, false);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    heap_.deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  global_heap heap_;
};

class abstract_global : public resource_calls<std::pmr::memory_resource> {
 public:
  abstract_global()
      : resource_calls(lab::launder_pointer(static_cast<std::pmr::memory_resource*>(&resource()))) {
  }
  void end_epoch(bool) {}

 private:
  static global_resource& resource() {
    static global_resource shared;
    return shared;
  }
};

// A strategy's resources, one set for each lane. A monotonic resource uses the buffer first.
template <class Family>
class monotonic_resources {
 public:
  using outermost = typename Family::monotonic;
  explicit monotonic_resources(std::span<std::byte> buffer)
      : monotonic_(buffer.data(), buffer.size()) {}
  outermost& top() { return monotonic_; }
  void end_epoch(bool) { monotonic_.release(); }

 private:
  typename Family::monotonic monotonic_;
};

template <class Family>
class multipool_resources {
 public:
  using outermost = typename Family::multipool;
  explicit multipool_resources(std::span<std::byte>) {}
  outermost& top() { return pool_; }
  void end_epoch(bool winks) {
    if (winks) pool_.release();
  }

 private:
  typename Family::multipool pool_;
};

template <class Family>
class layered_resources {
 public:
  using outermost = typename Family::multipool;
  explicit layered_resources(std::span<std::byte> buffer)
      : monotonic_(buffer.data(), buffer.size()) {
    pool_.emplace(&monotonic_);
  }
  outermost& top() { return *pool_; }
  // The monotonic resource is only reset as a whole; pools may have tables in it.
  void end_epoch(bool) {
    pool_.reset();
    monotonic_.release();
    pool_.emplace(&monotonic_);
  }

 private:
  typename Family::monotonic monotonic_;
  std::optional<typename Family::multipool> pool_;
};

// Calls the outermost resource as `Bound`: its own type, or the abstract base.
template <class Resources, class Bound>
class strategy_memory : private Resources, public resource_calls<Bound> {
 public:
  explicit strategy_memory(std::span<std::byte> buffer)
      : Resources(buffer),
        resource_calls<Bound>(lab::launder_pointer(static_cast<Bound*>(&Resources::top()))) {}
  using Resources::end_epoch;
};

// A resource shared by all lanes, called by its abstract base.
template <class Base>
class shared_memory : public resource_calls<Base> {
 public:
  explicit shared_memory(Base& resource) : resource_calls<Base>(lab::launder_pointer(&resource)) {}
  void end_epoch(bool) {}
};

template <class Family>
class locked_memory : public resource_calls<lab::locked_pool<Family>> {
 public:
  explicit locked_memory(lab::locked_pool<Family>& pool)
      : resource_calls<lab::locked_pool<Family>>(lab::launder_pointer(&pool)) {}
  void end_epoch(bool) {}
};

}  // namespace mallard::replay
