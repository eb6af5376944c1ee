#include "route/preload/arena.hpp"

#include <sys/single_threaded.h>

#include <mutex>
#include <new>

#include "route/preload/process.hpp"

namespace mallard::route {
namespace {

// The resource's own call, as containers that have it in their type make it.
template <class Resource>
[[gnu::always_inline]] inline void* allocate_by_type(Resource& from, block_shape shape) noexcept {
  try {
    return from.allocate(shape.bytes, shape.alignment);
  } catch (...) {
    return nullptr;
  }
}

template <class Action>
[[gnu::noinline]] auto while_locked(std::uint32_t route, Action action) noexcept {
  const std::lock_guard hold(process.locks[route]);
  return action();
}

// Locked while there is more than one thread. A program with one meets as little here as can be:
// what a block takes beside what its resource takes is no part of what is measured.
template <class Action>
[[gnu::always_inline]] inline auto when_shared_locked(std::uint32_t route, Action action) noexcept {
  return __libc_single_threaded != 0 ? action() : while_locked(route, action);
}

}  // namespace

void* range_source::do_allocate(std::size_t bytes, std::size_t alignment) {
  // Runs are aligned to their size.
  const std::size_t needed = alignment > bytes ? alignment : bytes;
  void* const run =
      alignment <= std::size_t{2} << 20 ? process.range.take(needed, owner_) : nullptr;
  if (run == nullptr) throw std::bad_alloc();
  process.hold(route_, needed);
  return run;
}

void range_source::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  const std::size_t taken = alignment > bytes ? alignment : bytes;
  process.range.give(p, taken);
  process.let_go(route_, taken);
}

arena::arena(std::uint32_t number, std::uint32_t route, strategy kind) noexcept
    : number_(number), route_(route), kind_(kind), source_(number, route) {
  switch (kind) {
    case strategy::monotonic:
      ::new (&bump_) monotonic_resource(&source_);
      break;
    case strategy::multipool_on_monotonic:
      ::new (&pool_on_bump_) pool_on_bump(&source_);
      break;
    case strategy::multipool:
      ::new (&pool_) multipool_resource(&source_);
      break;
    case strategy::synchronized_multipool:
      ::new (&synchronized_pool_) synchronized_multipool_resource(&source_);
      break;
    case strategy::heap:
      ::new (&heap_) heap_resource(&source_);
      break;
    case strategy::synchronized_heap:
      ::new (&synchronized_heap_) synchronized_heap_resource(&source_);
      break;
    case strategy::adaptive_pool:
      ::new (&adaptive_) adaptive_pool_resource(&source_);
      break;
    case strategy::global:
    case strategy::switch_malloc:
      break;  // no route has them
  }
}

void* arena::allocate_from_resource(block_shape shape) noexcept {
  const auto counted = [&](auto& from) {
    void* const p = allocate_by_type(from, shape);
    born_ += p != nullptr;
    return p;
  };
  const auto locked = [&](auto& from) {
    return when_shared_locked(route_, [&from, shape] { return allocate_by_type(from, shape); });
  };
  switch (kind_) {
    case strategy::monotonic:
      return counted(bump_);
    case strategy::multipool_on_monotonic:
      if (returned_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
        take_back();
      return counted(pool_on_bump_.pool);
    case strategy::multipool:
      return locked(pool_);
    case strategy::synchronized_multipool:
      return allocate_by_type(synchronized_pool_, shape);
    case strategy::heap:
      return locked(heap_);
    case strategy::synchronized_heap:
      return allocate_by_type(synchronized_heap_, shape);
    case strategy::adaptive_pool:
      // Its alignment would have to be known where it is given back.
      return shape.alignment > granule ? nullptr : locked(adaptive_);
    case strategy::global:
    case strategy::switch_malloc:
      break;
  }
  return nullptr;
}

void* arena::allocate(block_shape shape, void* echo) noexcept {
  if (echo != nullptr) [[unlikely]] {
    process.range.set_again(echo, shape);
    return echo;
  }
  void* const block = allocate_from_resource(shape);
  if (block != nullptr) process.range.set(block, shape);
  return block;
}

void arena::deallocate(void* block, block_shape shape, const void* thread, bool echoes) noexcept {
  if (echoes) [[unlikely]]
    return process.range.clear_again(block);
  process.range.clear(block);
  const auto locked = [&](auto& to) {
    when_shared_locked(route_,
                       [&to, block, shape] { to.deallocate(block, shape.bytes, shape.alignment); });
  };
  switch (kind_) {
    case strategy::monotonic:
      if (!is_of(thread)) {
        gone_elsewhere_.fetch_add(1, std::memory_order_release);
      } else {
        ++gone_here_;
      }
      return;
    case strategy::multipool_on_monotonic:
      if (!is_of(thread)) return give_to_its_thread(block, shape.bytes);
      ++gone_here_;
      return pool_on_bump_.pool.deallocate(block, shape.bytes, shape.alignment);
    case strategy::multipool:
      return locked(pool_);
    case strategy::synchronized_multipool:
      return synchronized_pool_.deallocate(block, shape.bytes, shape.alignment);
    case strategy::heap:
      return locked(heap_);
    case strategy::synchronized_heap:
      return synchronized_heap_.deallocate(block, shape.bytes, shape.alignment);
    case strategy::adaptive_pool:
      return locked(adaptive_);
    case strategy::global:
    case strategy::switch_malloc:
      return;
  }
}

// Its size is needed again when the arena's thread takes it back.
void arena::give_to_its_thread(void* block, std::size_t bytes) noexcept {
  *static_cast<std::size_t*>(static_cast<void*>(static_cast<std::byte*>(block) + 8)) = bytes;
  for (void* first = returned_.load(std::memory_order_relaxed);;) {
    *static_cast<void**>(block) = first;
    if (returned_.compare_exchange_weak(first, block, std::memory_order_release,
                                        std::memory_order_relaxed)) {
      break;
    }
  }
  gone_elsewhere_.fetch_add(1, std::memory_order_release);
}

void arena::take_back() noexcept {
  void* at = returned_.exchange(nullptr, std::memory_order_acquire);
  while (at != nullptr) {
    void* const following = *static_cast<void**>(at);
    const std::size_t bytes =
        *static_cast<std::size_t*>(static_cast<void*>(static_cast<std::byte*>(at) + 8));
    pool_on_bump_.pool.deallocate(at, bytes, granule);
    at = following;
  }
}

bool arena::try_expand(void* block, block_shape from, block_shape to, const void* thread) noexcept {
  if (kind_ != strategy::monotonic || !is_of(thread)) return false;
  if (bump_.try_expand(block, from.bytes, to.bytes) == 0) return false;
  process.range.clear(block);
  process.range.set(block, to);
  return true;
}

void arena::reset() noexcept {
  born_ = gone_here_ = 0;
  gone_elsewhere_.store(0, std::memory_order_relaxed);
  returned_.store(nullptr, std::memory_order_relaxed);
  of = {};
  if (kind_ == strategy::monotonic) {
    bump_.rewind();
  } else {
    pool_on_bump_.pool.release();
    pool_on_bump_.bump.rewind();
  }
}

}  // namespace mallard::route
