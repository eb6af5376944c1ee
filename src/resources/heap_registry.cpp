#include "mallard/detail/resources/heap_registry.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>

#include "mallard/detail/core/ring.hpp"
#include "mallard/detail/os/fork.hpp"
#include "mallard/detail/os/thread_end.hpp"
#include "mallard/detail/resources/shared_chunks.hpp"
#include "mallard/detail/resources/upstream_lock.hpp"
#include "mallard/page_source.hpp"

namespace mallard::inline v1::detail {

constinit thread_local std::array<known_heap, known_heap_count> known_heaps{};

namespace {

using resource_ring = ring<thread_heaps, &thread_heaps::next, &thread_heaps::prev>;
using heap_ring = ring<thread_heap, &thread_heap::next_of_thread, &thread_heap::prev_of_thread>;
using table_ring =
    ring<heaps_of_thread, &heaps_of_thread::next_with_table, &heaps_of_thread::prev_with_table>;

// Never destroyed: threads may end after the program's static objects have.
union registry_holder {
  std::mutex lock;
  constexpr registry_holder() noexcept : lock() {}
  ~registry_holder() {}
};
constinit registry_holder registry;
constinit thread_heaps* resources = nullptr;
constinit heaps_of_thread* with_table = nullptr;
constinit std::atomic<std::uint64_t> identities{0};

MALLARD_STATIC_TLS constinit thread_local heaps_of_thread own_heaps{};

template <class Do>
void for_each_resource(Do&& what) {
  thread_heaps* resource = resources;
  if (resource == nullptr) return;
  do {
    what(*resource);
    resource = resource->next;
  } while (resource != resources);
}

void drop_table(heaps_of_thread& thread) noexcept {
  if (thread.table == nullptr) return;
  {
    const std::lock_guard hold(registry.lock);
    heaps_of_thread* const next = table_ring::remove(&thread);
    if (with_table == &thread) with_table = next;
  }
  page_source::instance()->deallocate(thread.table, thread.table_size * sizeof(known_heap));
  thread.table = nullptr;
  thread.table_size = thread.table_used = 0;
}

struct at_thread_exit {
  ~at_thread_exit() {
    own_heaps.ended = true;
    known_heaps = {};
    drop_table(own_heaps);
    std::unique_lock hold(registry.lock);
    while (thread_heap* const heap = own_heaps.heaps) {
      thread_heaps& resource = *heap->resource;
      detach(*heap);
      resource.begin_visit();
      hold.unlock();
      resource.orphan(*heap);
      hold.lock();
      resource.end_visit();
    }
  }
};

void before_fork() {
  registry.lock.lock();
  for_each_resource([](thread_heaps& resource) { resource.large_blocks_lock().lock(); });
  hold_upstreams_for_fork();
}

void unlock_large_blocks() {
  for_each_resource([](thread_heaps& resource) { resource.large_blocks_lock().unlock(); });
}

void after_fork() {
  let_upstreams_go();
  unlock_large_blocks();
  registry.lock.unlock();
}

// Other threads may have been in the middle of anything when the process forked.
void after_fork_in_child() {
  for_each_resource([](thread_heaps& resource) { resource.forget_other_threads(&own_heaps); });
  with_table = nullptr;
  if (own_heaps.table != nullptr) {
    table_ring::insert_before(nullptr, &own_heaps);
    with_table = &own_heaps;
  }
  let_upstreams_go_in_child();
  unlock_large_blocks();
  registry.lock.unlock();
}

// The entry of the identity, or the free one where it belongs.
known_heap& place_of(const heaps_of_thread& thread, std::uint64_t identity) noexcept {
  std::size_t at = identity * 0x9E3779B97F4A7C15u >> 20;
  for (;; ++at) {
    known_heap& entry = thread.table[at & (thread.table_size - 1)];
    if (entry.identity == identity || entry.identity == 0) return entry;
  }
}

void enter(heaps_of_thread& thread, thread_heap& heap) noexcept {
  const std::uint64_t identity = heap.resource->identity();
  place_of(thread, identity) = {identity, &heap};
  ++thread.table_used;
}

thread_heap* after(const heaps_of_thread& thread, const thread_heap& heap) noexcept {
  return heap.next_of_thread == thread.heaps ? nullptr : heap.next_of_thread;
}

// Enters a few of the heaps that are left to enter, so that the lock is held only briefly. False
// when there are no more.
bool enter_some(heaps_of_thread& thread) noexcept {
  constexpr int at_a_time = 16;
  const std::lock_guard hold(registry.lock);
  for (int i = 0; i < at_a_time && thread.to_enter != nullptr; ++i) {
    enter(thread, *thread.to_enter);
    thread.to_enter = after(thread, *thread.to_enter);
  }
  return thread.to_enter != nullptr;
}

// Makes a table with room for three times as many more; entries of dead resources are dropped.
void renew_table(heaps_of_thread& thread, std::size_t count) noexcept {
  constexpr std::size_t smallest_size = 4096 / sizeof(known_heap);
  const std::size_t size = std::max(smallest_size, std::bit_ceil(count * 4));
  void* const memory = page_source::instance()->try_allocate(size * sizeof(known_heap));
  drop_table(thread);
  if (memory == nullptr) return;
  thread.table = static_cast<known_heap*>(memory);
  thread.table_size = size;
  for (std::size_t i = 0; i < size; ++i) ::new (thread.table + i) known_heap{0, nullptr};
  {
    const std::lock_guard hold(registry.lock);
    table_ring::insert_before(with_table, &thread);
    with_table = &thread;
    thread.to_enter = thread.heaps;
  }
  while (enter_some(thread)) {
  }
}

}  // namespace

std::mutex& registry_lock() noexcept {
  return registry.lock;
}

const void* this_thread_name() noexcept {
  return &own_heaps;
}

heaps_of_thread* heaps_of_this_thread() {
  if (own_heaps.ended) return nullptr;
  if constexpr (is_embedded) {
    static os::thread_end_calls at_end([] { at_thread_exit(); });
    at_end.of_this_thread();
  } else {
    thread_local at_thread_exit orphan_then;
    static_cast<void>(orphan_then);
  }
  return &own_heaps;
}

void hold_resources_across_fork() noexcept {
  // The page source's lock is taken under the registry's: its handlers must be registered first.
  hold_chunks_across_fork();
  static constinit os::fork_handlers handlers{before_fork, after_fork, after_fork_in_child};
  handlers.register_once();
}

namespace {
[[maybe_unused]] const bool resources_held_from_load = (hold_resources_across_fork(), true);
}

std::uint64_t new_identity() noexcept {
  return identities.fetch_add(1, std::memory_order_relaxed) + 1;
}

thread_heap* find_heap(const heaps_of_thread& thread, const thread_heaps& resource) noexcept {
  if (thread.table != nullptr) return place_of(thread, resource.identity()).heap;
  const std::lock_guard hold(registry.lock);
  thread_heap* heap = thread.heaps;
  while (heap != nullptr && heap->resource != &resource) heap = after(thread, *heap);
  return heap;
}

void attach(heaps_of_thread& thread, thread_heap& heap) noexcept {
  std::size_t count = 0;
  {
    const std::lock_guard hold(registry.lock);
    heap.thread = &thread;
    heap_ring::insert_before(thread.heaps, &heap);
    thread.heaps = &heap;
    count = ++thread.count;
  }
  if (thread.table == nullptr) {
    if (count > known_heap_count) renew_table(thread, count);
  } else if (thread.table_used * 2 >= thread.table_size) {
    renew_table(thread, count);
  } else {
    enter(thread, heap);
  }
}

void drop_tables() noexcept {
  std::unique_lock hold(registry.lock);
  while (resources == nullptr && with_table != nullptr) {
    heaps_of_thread& thread = *with_table;
    hold.unlock();
    drop_table(thread);
    hold.lock();
  }
}

void enroll(thread_heaps& resource) noexcept {
  resource_ring::insert_before(resources, &resource);
  resources = &resource;
}

void strike_off(thread_heaps& resource) noexcept {
  thread_heaps* const next = resource_ring::remove(&resource);
  if (resources == &resource) resources = next;
}

void detach(thread_heap& heap) noexcept {
  heaps_of_thread& thread = *heap.thread;
  if (thread.to_enter == &heap) thread.to_enter = after(thread, heap);
  thread_heap* const next = heap_ring::remove(&heap);
  if (thread.heaps == &heap) thread.heaps = next;
  --thread.count;
  heap.thread = nullptr;
}

}  // namespace mallard::inline v1::detail
