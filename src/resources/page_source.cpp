#include "mallard/page_source.hpp"

#include <algorithm>
#include <atomic>
#include <new>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/os/fork.hpp"
#include "mallard/detail/resources/shared_chunks.hpp"
#include "mallard/detail/resources/thread_chunks.hpp"

namespace mallard::inline v1 {

constinit detail::page_source_holder detail::the_page_source;

namespace {

using detail::shared_chunks;
using detail::thread_chunks;

// Never destroyed: the threads that end last may still give chunks back.
union shared_holder {
  shared_chunks value;
  constexpr shared_holder() noexcept : value() {}
  ~shared_holder() {}
};
constinit shared_holder shared;

constexpr std::size_t thread_chunks_bytes =
    detail::round_up(sizeof(thread_chunks), detail::os::page_bytes);
constexpr unsigned thread_chunks_class = detail::chunk_class_of(thread_chunks_bytes);

// Null until the thread's first request, and again while the thread ends.
MALLARD_STATIC_TLS thread_local thread_chunks* own_chunks = nullptr;
MALLARD_STATIC_TLS thread_local bool ended = false;

struct at_thread_exit {
  ~at_thread_exit() {
    ended = true;
    thread_chunks* const last = own_chunks;
    own_chunks = nullptr;
    if (last == nullptr) return;
    last->flush();
    void* const chunk = last;
    shared.value.give_small(thread_chunks_class, &chunk, 1);
  }
};

// Null for a thread that is ending: it uses the shared level. So do all threads in a plug-in,
// because a destructor at a thread's end would keep the plug-in's code from being unloaded.
thread_chunks* begin_thread() {
  if (detail::is_embedded || own_chunks != nullptr || ended) return own_chunks;
  detail::hold_chunks_across_fork();
  thread_local at_thread_exit flush_then;
  static_cast<void>(flush_then);
  void* chunk = nullptr;
  shared.value.take_small(thread_chunks_class, &chunk, 1);
  detail::unpoison(chunk, thread_chunks_bytes);
  return own_chunks = ::new (chunk) thread_chunks(shared.value);
}

std::size_t chunk_request(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes == alignment &&
      bytes - detail::smallest_part_bytes <=
          detail::part_bytes(detail::part_class_count - 1) - detail::smallest_part_bytes) {
    return bytes;
  }
  return detail::class_request(bytes, std::max(alignment, detail::os::page_bytes));
}

}  // namespace

bool detail::pays_for_memory(const std::pmr::memory_resource& upstream) noexcept {
  return &upstream != page_source::instance();
}

void detail::hold_chunks_across_fork() noexcept {
  constexpr auto unlock = [] { shared.value.unlock(); };
  static constinit os::fork_handlers handlers{[] { shared.value.lock(); }, unlock, unlock};
  handlers.register_once();
}

namespace {
[[maybe_unused]] const bool chunks_held_from_load = (detail::hold_chunks_across_fork(), true);
}

void* page_source::allocate(std::size_t bytes, std::size_t alignment) {
  MALLARD_ASSERT(detail::is_power_of_two(alignment));
  const std::size_t request = chunk_request(bytes, alignment);
  if (detail::is_small_chunk(request) && own_chunks != nullptr) [[likely]] {
    void* const p = own_chunks->take(detail::chunk_class_of(request));
    detail::unpoison(p, request);
    return p;
  }
  return allocate_slow(bytes, alignment);
}

// Serves empty requests, large ones, a thread's first, and those of a thread that is ending.
void* page_source::allocate_slow(std::size_t bytes, std::size_t alignment) {
  const std::size_t request = chunk_request(std::max<std::size_t>(bytes, 1), alignment);
  void* p = nullptr;
  if (detail::is_small_chunk(request)) {
    const unsigned chunk_class = detail::chunk_class_of(request);
    if (thread_chunks* const mine = begin_thread()) {
      p = mine->take(chunk_class);
    } else {
      shared.value.take_small(chunk_class, &p, 1);
    }
  } else {
    if (request != 0) p = shared.value.take_large(request, alignment);
    if (p == nullptr) throw std::bad_alloc();
  }
  detail::unpoison(p, request);
  return p;
}

void* page_source::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  try {
    return allocate(bytes, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void page_source::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t request = chunk_request(std::max<std::size_t>(bytes, 1), alignment);
  detail::poison(p, request);
  if (!detail::is_small_chunk(request)) return shared.value.give_large(p, request, alignment);
  const unsigned chunk_class = detail::chunk_class_of(request);
  if (own_chunks != nullptr && shared.value.is_caching()) [[likely]] {
    return own_chunks->give(chunk_class, p);
  }
  shared.value.give_small(chunk_class, &p, 1);
}

void page_source::set_caching(bool on) noexcept {
  shared.value.set_caching(on);
  if (!on && own_chunks != nullptr) own_chunks->flush();
}

void page_source::set_cache_limit(std::size_t bytes) noexcept {
  shared.value.set_limit(bytes);
}

std::size_t page_source::trim() noexcept {
  if (own_chunks != nullptr) own_chunks->flush();
  return shared.value.trim();
}

page_source_stats page_source::stats() const noexcept {
  const shared_chunks::usage_type usage = shared.value.usage();
  return {.mapped_bytes = usage.in_use_bytes + usage.cached_bytes,
          .in_use_bytes = usage.in_use_bytes,
          .cached_bytes = usage.cached_bytes,
          .os_maps = usage.maps,
          .os_unmaps = usage.unmaps};
}

}  // namespace mallard::inline v1
