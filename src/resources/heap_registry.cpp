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

MALLARD_STATIC_TLS constinit thread_local heaps_of_thread own{};

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
    heaps_of_thread** link = &with_table;
    while (*link != &thread) link = &(*link)->next_with_table;
    *link = thread.next_with_table;
  }
  page_source::instance()->deallocate(thread.table, thread.table_size * sizeof(known_heap));
  thread.table = nullptr;
  thread.table_size = thread.table_used = 0;
}

struct at_thread_exit {
  ~at_thread_exit() {
    own.ended = true;
    known_heaps = {};
    drop_table(own);
    std::unique_lock hold(registry.lock);
    while (thread_heap* const heap = own.heaps) {
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

// The other threads may have been in the middle of anything when they ceased to be.
void after_fork_in_child() {
  for_each_resource([](thread_heaps& resource) { resource.forget_other_threads(&own); });
  with_table = own.table != nullptr ? &own : nullptr;
  own.next_with_table = nullptr;
  let_upstreams_go_in_child();
  unlock_large_blocks();
  registry.lock.unlock();
}

// The entry of the identity, or the free one where it would be.
known_heap& place_of(const heaps_of_thread& thread, std::uint64_t identity) noexcept {
  std::size_t at = identity * 0x9E3779B97F4A7C15u >> 20;
  for (;; ++at) {
    known_heap& entry = thread.table[at & (thread.table_size - 1)];
    if (entry.identity == identity || entry.identity == 0) return entry;
  }
}

}  // namespace

std::mutex& registry_lock() noexcept {
  return registry.lock;
}

const void* this_thread_name() noexcept {
  return &own;
}

heaps_of_thread* heaps_of_this_thread() {
  if (own.ended) return nullptr;
  if constexpr (is_embedded) {
    static os::thread_end_calls at_end([] { at_thread_exit(); });
    at_end.of_this_thread();
  } else {
    thread_local at_thread_exit orphan_then;
    static_cast<void>(orphan_then);
  }
  return &own;
}

void hold_resources_across_fork() noexcept {
  // The page source's lock is taken under the registry's: its handlers have to be there first.
  hold_chunks_across_fork();
  static constinit os::fork_handlers handlers{before_fork, after_fork, after_fork_in_child};
  handlers.register_once();
}

namespace {
[[maybe_unused]] const bool held_from_load = (hold_resources_across_fork(), true);
}

std::uint64_t new_identity() noexcept {
  return identities.fetch_add(1, std::memory_order_relaxed) + 1;
}

thread_heap* find_in_table(const heaps_of_thread& thread, std::uint64_t identity) noexcept {
  return thread.table == nullptr ? nullptr : place_of(thread, identity).heap;
}

void add_to_table(heaps_of_thread& thread, std::uint64_t identity, thread_heap* heap) noexcept {
  if (thread.table_used * 2 >= thread.table_size) return;
  known_heap& place = place_of(thread, identity);
  if (place.identity == 0) ++thread.table_used;
  place = {identity, heap};
}

void renew_table(heaps_of_thread& thread) noexcept {
  constexpr std::size_t smallest_size = 4096 / sizeof(known_heap);
  const auto count = [&] {
    std::size_t heaps = 0;
    for (thread_heap* heap = thread.heaps; heap != nullptr; heap = heap->next_of_thread) ++heaps;
    return heaps;
  };
  std::unique_lock hold(registry.lock);
  const std::size_t size = std::max(smallest_size, std::bit_ceil(count() * 4));
  hold.unlock();
  void* const memory = page_source::instance()->try_allocate(size * sizeof(known_heap));
  if (memory == nullptr) return;
  drop_table(thread);
  thread.table = static_cast<known_heap*>(memory);
  thread.table_size = size;
  for (std::size_t i = 0; i < size; ++i) ::new (thread.table + i) known_heap{0, nullptr};
  hold.lock();  // by now there may be fewer
  thread.next_with_table = with_table;
  with_table = &thread;
  for (thread_heap* heap = thread.heaps; heap != nullptr; heap = heap->next_of_thread) {
    add_to_table(thread, heap->resource->identity(), heap);
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

void attach(heaps_of_thread& thread, thread_heap& heap) noexcept {
  heap.thread = &thread;
  heap.next_of_thread = thread.heaps;
  thread.heaps = &heap;
}

void detach(thread_heap& heap) noexcept {
  thread_heap** link = &heap.thread->heaps;
  while (*link != &heap) link = &(*link)->next_of_thread;
  *link = heap.next_of_thread;
  heap.thread = nullptr;
  heap.next_of_thread = nullptr;
}

}  // namespace mallard::inline v1::detail
