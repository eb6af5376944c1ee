#include "route/preload/arena.hpp"

#include <sys/single_threaded.h>

#include <cstring>
#include <mutex>
#include <new>
#include <type_traits>

#include "preload/functions.hpp"
#include "preload/next.hpp"
#include "route/preload/process.hpp"

namespace mallard::route {
namespace {

template <class Resource>
class server_of : public block_server {
 public:
  server_of(std::pmr::memory_resource* upstream, std::uint32_t) noexcept : from_(upstream) {}
  void* allocate(block_shape shape, const block_request& asked) noexcept override {
    try {
      void* const block = from_.allocate(shape.bytes, shape.alignment);
      if (asked.zeroed) [[unlikely]]
        std::memset(block, 0, asked.bytes);
      return block;
    } catch (...) {
      return nullptr;
    }
  }
  void deallocate(void* block, block_shape shape) noexcept override {
    from_.deallocate(block, shape.bytes, shape.alignment);
  }

 protected:
  Resource from_;
};

// Behind a lock while there is more than one thread. A program with one meets as little here as can
// be: what a block takes beside what its resource takes is no part of what is measured.
template <class Resource>
class locked_server final : public server_of<Resource> {
 public:
  using base = server_of<Resource>;
  locked_server(std::pmr::memory_resource* upstream, std::uint32_t route) noexcept
      : base(upstream, route), lock_(process.locks[route]) {}
  void* allocate(block_shape shape, const block_request& asked) noexcept override {
    // An adaptive pool would have to be told the alignment where the block is given back.
    if constexpr (std::is_same_v<Resource, adaptive_pool_resource>) {
      if (shape.alignment > granule) return nullptr;
    }
    return __libc_single_threaded != 0 ? base::allocate(shape, asked)
                                       : allocate_locked(shape, asked);
  }
  void deallocate(void* block, block_shape shape) noexcept override {
    if (__libc_single_threaded != 0) return base::deallocate(block, shape);
    deallocate_locked(block, shape);
  }

 private:
  [[gnu::noinline]] void* allocate_locked(block_shape shape, const block_request& asked) noexcept {
    const std::lock_guard hold(lock_);
    return base::allocate(shape, asked);
  }
  [[gnu::noinline]] void deallocate_locked(void* block, block_shape shape) noexcept {
    const std::lock_guard hold(lock_);
    base::deallocate(block, shape);
  }

  std::mutex& lock_;
};

class bump_server final : public server_of<monotonic_resource> {
 public:
  using server_of::server_of;
  bool try_expand(void* block, block_shape from, block_shape to) noexcept override {
    return from_.try_expand(block, from.bytes, to.bytes) != 0;
  }
  void reset() noexcept override { from_.rewind(); }
};

struct bump_below {
  explicit bump_below(std::pmr::memory_resource* upstream) noexcept : bump(upstream) {}
  monotonic_resource bump;
};
class pool_on_bump_server final : bump_below, public server_of<multipool_resource> {
 public:
  pool_on_bump_server(std::pmr::memory_resource* upstream, std::uint32_t route) noexcept
      : bump_below(upstream), server_of(&bump, route) {}
  void reset() noexcept override {
    from_.release();
    bump.rewind();
  }
};

using preload::function;

[[gnu::noinline]] void* malloc_as_new(std::size_t bytes) noexcept {
  void* const block = preload::next<void*(std::size_t)>(function::malloc)(bytes);
  // It would ask a handler.
  return block != nullptr ? block : preload::next<void*(std::size_t)>(function::malloc)(bytes);
}
[[gnu::noinline]] void free_as_delete(void* block) noexcept {
  preload::next<void(void*)>(function::free)(block);
}

}  // namespace

void* range_source::do_allocate(std::size_t bytes, std::size_t alignment) {
  // Runs are aligned to their size.
  const std::size_t needed = alignment > bytes ? alignment : bytes;
  void* const run =
      alignment <= std::size_t{2} << 20 ? process.range.take(needed, owner_) : nullptr;
  if (run == nullptr) throw std::bad_alloc();
  if (!process.codes.make_room(run, needed)) {
    process.range.give(run, needed);
    throw std::bad_alloc();
  }
  process.hold(route_, needed);
  return run;
}

void range_source::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  const std::size_t taken = alignment > bytes ? alignment : bytes;
  process.range.give(p, taken);
  process.let_go(route_, taken);
}

arena::arena(std::uint32_t number, std::uint32_t route, strategy kind, server by) noexcept
    : number_(number),
      route_(route),
      by_(by),
      is_scoped_(process.is_scoped(route)),
      takes_back_(kind != strategy::monotonic),
      source_(number, route) {
  const auto make = [&]<class Server>(std::type_identity<Server>) {
    static_assert(sizeof(Server) <= most_server_bytes && alignof(Server) <= 64);
    return static_cast<block_server*>(::new (server_bytes_) Server(&source_, route));
  };
  const auto choose = [&]() -> block_server* {
    switch (kind) {
      case strategy::monotonic:
        return make(std::type_identity<bump_server>{});
      case strategy::multipool_on_monotonic:
        return make(std::type_identity<pool_on_bump_server>{});
      case strategy::multipool:
        return make(std::type_identity<locked_server<multipool_resource>>{});
      case strategy::synchronized_multipool:
        return make(std::type_identity<server_of<synchronized_multipool_resource>>{});
      case strategy::heap:
        return make(std::type_identity<locked_server<heap_resource>>{});
      case strategy::synchronized_heap:
        return make(std::type_identity<server_of<synchronized_heap_resource>>{});
      case strategy::adaptive_pool:
        return make(std::type_identity<locked_server<adaptive_pool_resource>>{});
      case strategy::global:
      case strategy::switch_malloc:
        break;  // no route has them
    }
    return nullptr;
  };
  server_ = choose();
}

void* arena::allocate_by_malloc(block_shape shape, const block_request& asked) noexcept {
  if (shape.alignment > granule) [[unlikely]] {
    // As many bytes as pvalloc is to give.
    return preload::next<void*(std::size_t, std::size_t)>(function::memalign)(shape.alignment,
                                                                              shape.bytes);
  }
  const std::size_t bytes = block_codes::unshared(asked.bytes);
  if (asked.by_new) return malloc_as_new(bytes);
  if (asked.zeroed) [[unlikely]]
    return preload::next<void*(std::size_t, std::size_t)>(function::calloc)(1, bytes);
  return preload::next<void*(std::size_t)>(function::malloc)(bytes);
}

void arena::free_by_malloc(void* block, bool by_delete) noexcept {
  if (by_delete) return free_as_delete(block);
  preload::next<void(void*)>(function::free)(block);
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
    server_->deallocate(at, {bytes, granule});
    at = following;
  }
}

bool arena::try_expand(void* block, block_shape from, block_shape to, const void* thread) noexcept {
  if (!is_of(thread) || !server_->try_expand(block, from, to)) return false;
  process.codes.clear(block);
  process.codes.set(block, to);
  return true;
}

void arena::reset() noexcept {
  born_ = gone_here_ = 0;
  gone_elsewhere_.store(0, std::memory_order_relaxed);
  returned_.store(nullptr, std::memory_order_relaxed);
  of = {};
  server_->reset();
}

}  // namespace mallard::route
