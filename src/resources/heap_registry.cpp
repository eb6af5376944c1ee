#include "mallard/detail/resources/heap_registry.hpp"

#include <pthread.h>

#include <atomic>
#include <new>

#include "mallard/detail/core/ring.hpp"
#include "mallard/detail/resources/shared_chunks.hpp"

namespace mallard::inline v1::detail {

constinit thread_local std::array<known_heap, known_heap_count> known_heaps{};

namespace {

using resource_ring =
    ring<synchronized_heaps, &synchronized_heaps::next, &synchronized_heaps::prev>;

// Never destroyed: threads may end after the program's static objects have.
union registry_holder {
  std::recursive_mutex lock;
  constexpr registry_holder() noexcept : lock() {}
  ~registry_holder() {}
};
constinit registry_holder registry;
constinit synchronized_heaps* resources = nullptr;
constinit std::atomic<std::uint64_t> identities{0};

[[gnu::tls_model("initial-exec")]] constinit thread_local heaps_of_thread own{};

template <class Do>
void for_each_resource(Do&& what) {
  synchronized_heaps* resource = resources;
  if (resource == nullptr) return;
  do {
    what(*resource);
    resource = resource->next;
  } while (resource != resources);
}

struct at_thread_exit {
  ~at_thread_exit() {
    own.ended = true;
    known_heaps = {};
    const std::lock_guard hold(registry.lock);
    while (thread_heap* const heap = own.heaps) {
      detach(*heap);
      heap->resource->orphan(*heap);
    }
  }
};

void before_fork() {
  registry.lock.lock();
  for_each_resource([](synchronized_heaps& resource) { resource.large_blocks_lock().lock(); });
}

void unlock_large_blocks() {
  for_each_resource([](synchronized_heaps& resource) { resource.large_blocks_lock().unlock(); });
}

void after_fork() {
  unlock_large_blocks();
  registry.lock.unlock();
}

// The other threads may have been in the middle of anything when they ceased to be.
void after_fork_in_child() {
  for_each_resource([](synchronized_heaps& resource) { resource.forget_other_threads(&own); });
  unlock_large_blocks();
  // A recursive lock knows its thread by a number that is another one in the child.
  ::new (&registry.lock) std::recursive_mutex;
}

}  // namespace

std::recursive_mutex& registry_lock() noexcept {
  return registry.lock;
}

heaps_of_thread* heaps_of_this_thread() {
  if (own.ended) return nullptr;
  thread_local at_thread_exit orphan_then;
  static_cast<void>(orphan_then);
  return &own;
}

void hold_resources_across_fork() noexcept {
  // The page source's lock is taken under the registry's: its handlers have to be there first.
  static const int registered =
      (hold_chunks_across_fork(), pthread_atfork(before_fork, after_fork, after_fork_in_child));
  static_cast<void>(registered);
}

std::uint64_t new_identity() noexcept {
  return identities.fetch_add(1, std::memory_order_relaxed) + 1;
}

void enroll(synchronized_heaps& resource) noexcept {
  resource_ring::insert_before(resources, &resource);
  resources = &resource;
}

void strike_off(synchronized_heaps& resource) noexcept {
  synchronized_heaps* const next = resource_ring::remove(&resource);
  if (resources == &resource) resources = next;
}

void detach(thread_heap& heap) noexcept {
  thread_heap** link = &heap.thread->heaps;
  while (*link != &heap) link = &(*link)->next_of_thread;
  *link = heap.next_of_thread;
  heap.thread = nullptr;
  heap.next_of_thread = nullptr;
}

}  // namespace mallard::inline v1::detail
