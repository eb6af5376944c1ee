#include "malloc/large_space.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

#include "mallard/detail/os/pages.hpp"
#include "malloc/huge_cache.hpp"
#include "malloc/slice_supply.hpp"

namespace mallard::inline v1::detail {

constinit std::array<large_space, space_count> the_spaces;

void* large_space::allocate(std::size_t bytes, std::size_t alignment, slice_mark mark) noexcept {
  const holding hold(lock_);
  void* p = heap_.allocate(bytes, alignment);
  if (p == nullptr && grow(bytes + alignment, mark)) p = heap_.allocate(bytes, alignment);
  if (p != nullptr) reused(payload_bytes(p));
  return p;
}

void large_space::deallocate(void* p) noexcept {
  const holding hold(lock_);
  const std::size_t bytes = payload_bytes(p);
  heap_.deallocate(p);
  freed(bytes);
}

bool large_space::resize(void* p, std::size_t bytes) noexcept {
  const holding hold(lock_);
  const std::size_t before = payload_bytes(p);
  if (bytes <= before) {
    freed(before - heap_.shrink(p, bytes));
    return true;
  }
  const std::size_t now = heap_.expand(p, bytes, bytes);
  if (now == 0) return false;
  reused(now - before);
  return true;
}

// Segments grow with what is there already, so that there are few of them. A block is only found
// in a bin whose blocks are all large enough: hence a sixteenth more.
bool large_space::grow(std::size_t bytes, slice_mark mark) noexcept {
  const std::size_t overhead = segment_header_bytes + fit_heap::segment_overhead +
                               fit_heap::first_segment_overhead() + fit_block::header_bytes;
  const std::size_t least = round_up(bytes + bytes / 16 + overhead, slice_supply::word_bytes);
  const std::size_t roomy = std::max(
      least, round_up(std::min(segment_total_ / 4, most_step_bytes), slice_supply::word_bytes));
  std::size_t got = roomy;
  void* p = the_supply.take_words(got / slice_supply::word_bytes, mark);
  if (p == nullptr && roomy != least) {
    got = least;
    p = the_supply.take_words(got / slice_supply::word_bytes, mark);
  }
  if (p == nullptr) return false;
  segments_ = ::new (p) segment{segments_, got};
  segment_total_ += got;
  heap_.add_segment(static_cast<std::byte*>(p) + segment_header_bytes, got - segment_header_bytes);
  return true;
}

void large_space::freed(std::size_t bytes) noexcept {
  idle_bytes_ += bytes;
  if (idle_bytes_ <= idle_.limit(heap_.in_use_bytes())) return;
  idle_.gave_back(idle_bytes_);
  purge();
}

void large_space::reused(std::size_t bytes) noexcept {
  if (bytes > idle_bytes_) idle_.took(bytes - idle_bytes_);
  idle_bytes_ -= std::min(bytes, idle_bytes_);
}

// The segments of a heap without blocks; the first of them, which holds the bins, cannot go alone.
void large_space::give_all() noexcept {
  heap_.reset();
  for (segment* s = segments_; s != nullptr;) {
    segment* const next = s->next;
    the_supply.give(s, s->bytes);
    s = next;
  }
  segments_ = nullptr;
  segment_total_ = 0;
  idle_bytes_ = 0;
}

void large_space::purge() noexcept {
  if (heap_.in_use_blocks() == 0) return give_all();
  for (segment** link = &segments_; *link != nullptr;) {
    segment* const s = *link;
    const std::size_t bytes = s->bytes;
    if (heap_.remove_segment(reinterpret_cast<std::byte*>(s) + segment_header_bytes,
                             bytes - segment_header_bytes)) {
      *link = s->next;
      segment_total_ -= bytes;
      the_supply.give(s, bytes);
    } else {
      link = &s->next;
    }
  }
  heap_.for_each_free(purged_bytes, [](void* p, std::size_t bytes) { os::purge(p, bytes); });
  idle_bytes_ = 0;
}

void large_space::set_idle_limit(std::size_t bytes) noexcept {
  const holding hold(lock_);
  idle_.set_least(bytes);
}

void set_idle_limits(std::size_t bytes) noexcept {
  bytes = std::min(bytes, SIZE_MAX / 4);  // more is added to it
  the_supply.set_idle_limit(bytes);
  the_huge_cache.set_idle_limit(bytes);
  for (large_space& space : the_spaces) space.set_idle_limit(bytes);
}

void large_space::trim() noexcept {
  const holding hold(lock_);
  purge();
}

space_usage large_space::usage() noexcept {
  const holding hold(lock_);
  return {heap_.in_use_blocks(), heap_.in_use_bytes(), heap_.segment_bytes()};
}

}  // namespace mallard::inline v1::detail
