#include "mallard/detail/resources/shared_chunks.hpp"

#include <algorithm>
#include <new>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/os/memory_amounts.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {
namespace {

constexpr std::size_t largest_in_steps = std::size_t{64} << 20;

// 0 when it overflows.
std::size_t large_bytes(std::size_t bytes) noexcept {
  const std::size_t size =
      bytes <= largest_in_steps ? kept_mappings::step_of(bytes) : round_up(bytes, os::page_bytes);
  return size < bytes ? 0 : size;
}

// Chunks with an alignment of their own are rare: they are mapped and unmapped directly.
std::size_t natural_alignment(std::size_t size) noexcept {
  return size >= os::huge_page_bytes ? os::huge_page_bytes : os::page_bytes;
}

}  // namespace

unsigned shared_chunks::take_free(unsigned chunk_class, void** out, unsigned count) noexcept {
  if (chunk_class < part_class_count) return parts_.take(chunk_class, out, count);
  return supply_.take(out, count, chunk_class_bytes(chunk_class));
}

unsigned shared_chunks::take_small(unsigned chunk_class, void** out, unsigned count) {
  unsigned taken = take_free(chunk_class, out, count);
  if (taken == 0 && trim() != 0) taken = take_free(chunk_class, out, 1);
  if (taken == 0) throw std::bad_alloc();
  return taken;
}

void shared_chunks::give_small(unsigned chunk_class, void* const* chunks, unsigned count) noexcept {
  set_start_limit();
  if (chunk_class < part_class_count) {
    parts_.give(chunk_class, chunks, count);
  } else {
    supply_.give(chunks, count, chunk_class_bytes(chunk_class));
  }
  if (kept_.bytes() != 0) kept_.keep_to_budget();
  decay();
}

void* shared_chunks::take_large(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t size = large_bytes(bytes);
  if (size == 0) return nullptr;
  const std::size_t natural = natural_alignment(size);
  if (alignment <= natural) {
    if (void* const p = kept_.take(size, size)) return taken(p, size);
  }
  const bool huge = size >= os::huge_page_bytes;
  void* p = os::map(size, std::max(alignment, natural), huge);
  if (p == nullptr && trim() != 0) p = os::map(size, std::max(alignment, natural), huge);
  if (p == nullptr) return nullptr;
  begin_leak_scan(p, size);
  maps_.fetch_add(1, std::memory_order_relaxed);
  return taken(p, size);
}

void* shared_chunks::taken(void* p, std::size_t size) noexcept {
  large_bytes_.fetch_add(size, std::memory_order_relaxed);
  return p;
}

void shared_chunks::give_large(void* p, std::size_t bytes, std::size_t alignment) noexcept {
  set_start_limit();
  const std::size_t size = large_bytes(bytes);
  large_bytes_.fetch_sub(size, std::memory_order_relaxed);
  if (alignment <= natural_alignment(size)) {
    kept_.give(p, size);
  } else {
    kept_.unmap(p, size);
  }
  decay();
}

void shared_chunks::set_start_limit() noexcept {
  if (limit_.load(std::memory_order_relaxed) == not_set) set_limit(os::physical_memory_bytes() / 8);
}

void shared_chunks::set_limit(std::size_t bytes) noexcept {
  limit_.store(std::min(bytes, not_set - 1), std::memory_order_relaxed);
  set_caching(is_caching());
}

void shared_chunks::set_caching(bool on) noexcept {
  caches_.store(on, std::memory_order_relaxed);
  set_start_limit();
  budget_.set_most_kept(limit());
  supply_.keep_to_budget();
  kept_.keep_to_budget();
}

void shared_chunks::decay() noexcept {
  const unsigned long long now = os::milliseconds();
  if (now < next_decay_.load(std::memory_order_relaxed)) return;
  next_decay_.store(now + idle_decay::milliseconds_of_portion, std::memory_order_relaxed);
  supply_.decay();
  kept_.decay();
}

std::size_t shared_chunks::trim() noexcept {
  parts_.trim();
  const std::size_t kept = kept_.trim();
  return supply_.trim() + kept;
}

shared_chunks::usage_type shared_chunks::usage() noexcept {
  const supply_usage slices = supply_.usage();
  return {slices.in_use_bytes + large_bytes_.load(std::memory_order_relaxed),
          slices.dirty_bytes + kept_.bytes(),
          slices.regions_made + maps_.load(std::memory_order_relaxed),
          slices.regions_made - slices.regions + kept_.unmaps()};
}

void shared_chunks::lock() noexcept {
  parts_.lock().lock();
  for (std::size_t i = 0; i < slice_supply::lock_count; ++i) supply_.lock_at(i).lock();
  kept_.lock().lock();
}

void shared_chunks::unlock() noexcept {
  kept_.lock().unlock();
  for (std::size_t i = slice_supply::lock_count; i-- > 0;) supply_.lock_at(i).unlock();
  parts_.lock().unlock();
}

}  // namespace mallard::inline v1::detail
