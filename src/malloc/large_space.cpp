#include "malloc/large_space.hpp"

#include <algorithm>
#include <new>
#include <span>

#include "mallard/detail/os/pages.hpp"
#include "malloc/malloc_checks.hpp"
#include "pages/purging.hpp"

namespace mallard::inline v1::detail {

// A part that was given back comes from the system again when it is used.
void* large_space::take(std::size_t bytes, std::size_t alignment, bool* is_zero) noexcept {
  void* const p = heap_.allocate(bytes, alignment, is_zero);
  publish();
  return p;
}

// So much of the free memory is idle: it was used, and not given back since.
void large_space::publish() noexcept {
  const std::size_t idle = heap_.unpurged_bytes();
  if (idle < idle_bytes()) idle_.fell_to(idle);
  account_.kept.store(idle, std::memory_order_relaxed);
}

// Segments grow with what is there already, so that there are few, and have room for a number of
// such blocks, so that little is left over. A block is only found in a bin whose blocks are all
// large enough: hence a sixteenth more.
void* large_space::allocate(std::size_t bytes, std::size_t alignment, bool* is_zero) noexcept {
  const std::size_t overhead = segment_header_bytes + fit_heap::segment_overhead +
                               fit_heap::first_segment_overhead() + fit_block::header_bytes;
  const std::size_t wanted = bytes + alignment;
  const auto with_room_for = [&](std::size_t blocks) {
    return round_up(blocks * wanted + wanted / 16 + overhead, slice_supply::word_bytes);
  };
  const std::size_t least = with_room_for(1);
  std::size_t roomy = 0;
  for (bool has_waited = false;; has_waited = true) {
    {
      const holding hold(lock_);
      if (void* const p = take(bytes, alignment, is_zero)) return p;
      const std::size_t step = std::min(segment_total_ / 4, most_step_bytes);
      roomy = with_room_for(std::max<std::size_t>(1, step / wanted));
      if (under_way_ == 0 || has_waited) break;
    }
    // Memory on its way to the system will be available in a moment.
    const holding wait(purge_lock_);
  }
  const run r = take_run(least, roomy);
  if (r.begin == nullptr) return nullptr;
  const holding hold(lock_);
  add(r);
  return take(bytes, alignment, is_zero);
}

large_space::run large_space::take_run(std::size_t least, std::size_t roomy) noexcept {
  std::size_t got = roomy;
  bool is_fresh = false;
  void* p = supply_.take_words(got / slice_supply::word_bytes, &is_fresh);
  if (p == nullptr && roomy != least) {
    got = least;
    p = supply_.take_words(got / slice_supply::word_bytes, &is_fresh);
  }
  if (p != nullptr) region::of(p)->set_marks(region::index_of(p), got / slice_bytes, mark_);
  return {static_cast<std::byte*>(p), got, is_fresh};
}

bool large_space::has_extended(const run& r) noexcept {
  for (segment* s = segments_; s != nullptr; s = s->next) {
    if (s->at(s->bytes) != r.begin) continue;
    heap_.extend_segment(r.begin, r.bytes, r.is_fresh);
    s->bytes += r.bytes;
    return true;
  }
  return false;
}

// If addresses or memory are limited, joins the run with the segment before it, so that what was
// too small at that one's end is of use. Else segments stay apart: they are empty sooner, and a
// large free block is not purged as a whole for a few dirty pages.
void large_space::add(const run& r) noexcept {
  segment_total_ += r.bytes;
  if (supply_.is_limited() && has_extended(r)) return;
  segments_ = ::new (r.begin) segment{segments_, r.bytes};
  heap_.add_segment(r.begin + segment_header_bytes, r.bytes - segment_header_bytes, r.is_fresh);
}

void large_space::deallocate(void* p, std::size_t unpurged) noexcept {
  std::size_t freed = 0;
  {
    const holding hold(lock_);
    freed = payload_bytes(p);
    heap_.deallocate(p, unpurged);
    publish();
    if (idle_bytes() <= may_keep()) return;
  }
  give_back_for(freed);
}

bool large_space::resize(void* p, std::size_t bytes) noexcept {
  std::size_t freed = 0;
  {
    const holding hold(lock_);
    const std::size_t before = payload_bytes(p);
    if (bytes > before) {
      const bool has_grown = heap_.expand(p, bytes, bytes) != 0;
      publish();
      return has_grown;
    }
    freed = before - heap_.shrink(p, bytes);
    publish();
    if (idle_bytes() <= may_keep()) return true;
  }
  give_back_for(freed);
  return true;
}

// Some of what may not be kept goes, here or from the supply, which gets segments from here.
void large_space::give_back_for(std::size_t freed_bytes) noexcept {
  std::size_t to_keep = 0;
  {
    const holding hold(lock_);
    to_keep = memory_budget::rest_of(may_keep(), idle_bytes(), freed_bytes);
  }
  purge_if_nobody_does(std::max<std::size_t>(to_keep, 1));
  supply_.shrink(freed_bytes);
}

// The segments without blocks among so many, as a list: all of a heap without blocks, else not the
// one with the bins. The next call continues where this one ends.
large_space::segment* large_space::remove_empty(std::size_t most, bool only_purged) noexcept {
  segment* gone = nullptr;
  const bool all = !only_purged && heap_.in_use_blocks() == 0 && under_way_ == 0;
  if (all || next_looked_at_ == nullptr || *next_looked_at_ == nullptr) {
    next_looked_at_ = &segments_;
  }
  for (segment**& link = next_looked_at_; *link != nullptr && (all || most != 0); --most) {
    segment* const s = *link;
    const std::size_t bytes = s->bytes - segment_header_bytes;
    void* const blocks = s->at(segment_header_bytes);
    std::size_t unpurged = heap_.remove_segment(blocks, bytes, only_purged);
    if (unpurged == 0 && all) unpurged = bytes;
    if (unpurged == 0) {
      link = &s->next;
      continue;
    }
    *link = s->next;
    segment_total_ -= s->bytes;
    *s = {gone, s->bytes, segment_header_bytes + unpurged};
    gone = s;
  }
  if (all) heap_.reset();
  return gone;
}

// Takes out the whole words in a free block, at most so many bytes, and puts them before those that
// are gone.
large_space::segment* large_space::take_out(fit_block* b, std::size_t most,
                                            segment* gone) noexcept {
  next_looked_at_ = nullptr;
  segment** link = &segments_;
  while (!(*link)->contains(b)) link = &(*link)->next;
  segment* const s = *link;
  const std::size_t begin = s->offset_of(b);
  const std::size_t end = s->offset_of(b->following());
  const bool is_first = begin == segment_header_bytes;
  constexpr std::size_t before = fit_block::smallest_bytes + fit_block::header_bytes;
  constexpr std::size_t behind = fit_block::smallest_bytes + segment_header_bytes;
  const std::size_t from = is_first ? 0 : round_up(begin + before, slice_supply::word_bytes);
  const bool ends_segment = end == s->bytes - fit_block::header_bytes;
  const std::size_t to_end =
      ends_segment ? s->bytes : round_down(end - behind, slice_supply::word_bytes);
  const std::size_t to = from + std::min(to_end - from, most);
  const bool is_last = to == s->bytes;
  fit_block* const rest =
      is_last ? nullptr : reinterpret_cast<fit_block*>(s->at(to + segment_header_bytes));
  heap_.take_out(b, s->at(is_first ? begin : from), rest);
  segment* next = s->next;
  if (!is_last) next = ::new (s->at(to)) segment{next, s->bytes - to};
  if (is_first) {
    *link = next;
  } else {
    *s = {next, from};
  }
  segment_total_ -= to - from;
  return ::new (s->at(from)) segment{gone, to - from, to - from};
}

// Joined segments are seldom empty, but their free blocks may contain whole words. Slabs can use
// memory that nobody needs here, and the supply knows which of it is dirty.
large_space::segment* large_space::take_out_words(segment* gone) noexcept {
  while (fit_block* const b = heap_.find_free(surely_one_word)) gone = take_out(b, SIZE_MAX, gone);
  return gone;
}

bool large_space::give_words(std::size_t bytes) noexcept {
  if (idle_bytes() < slice_supply::word_bytes || !purge_lock_.try_lock()) return false;
  segment* gone = nullptr;
  {
    const holding hold(lock_);
    gone = remove_empty(most_looked_at);
    fit_block* const b = gone == nullptr ? heap_.find_free(surely_one_word) : nullptr;
    if (b != nullptr && fit_heap::unpurged_of(b) >= surely_one_word) {
      gone = take_out(b, round_up(bytes, slice_supply::word_bytes), nullptr);
    }
    publish();
  }
  const bool has_any = gone != nullptr;
  put_back(gone);
  purge_lock_.unlock();
  return has_any;
}

// Puts segments that were taken out into the supply.
void large_space::put_back(segment* gone) noexcept {
  while (segment* const s = gone) {
    gone = s->next;
    const std::size_t bytes = s->bytes;
    const std::size_t dirty = s->unpurged;
    if (dirty < bytes) {  // behind that is nothing but the segment's end
      std::memset(s->at(bytes - fit_block::header_bytes), 0, fit_block::header_bytes);
    }
    void* const begin = s;
    supply_.put_back(&begin, 1, bytes, dirty);
  }
}

// When two come at once, one is enough.
void large_space::purge_if_nobody_does(std::size_t to_keep) noexcept {
  if (!purge_lock_.try_lock()) return;
  purge_some(to_keep);
  purge_lock_.unlock();
}

bool large_space::purge_some(std::size_t to_keep) noexcept {
  struct portion {  // the end of what is not purged of a block
    fit_block* of;
    std::size_t begin;
    std::size_t end;
  };
  std::array<portion, most_purged> portions;
  std::size_t count = 0;
  segment* gone = nullptr;
  {
    const holding hold(lock_);
    if (idle_bytes() <= to_keep && to_keep != 0) return false;
    const bool all = to_keep == 0 || supply_.is_limited();
    gone = remove_empty(all ? SIZE_MAX : most_looked_at);
    if (all) gone = take_out_words(gone);
    std::size_t surplus = heap_.unpurged_bytes() - std::min(heap_.unpurged_bytes(), to_keep);
    while (count != portions.size() && surplus != 0) {
      std::size_t unpurged = 0;
      fit_block* const b = heap_.take_unpurged(fit_heap::least_counted, unpurged);
      if (b == nullptr) break;
      const std::size_t kept = round_down(unpurged - std::min(unpurged, surplus), os::page_size());
      portions[count++] = {b, kept < fit_heap::least_counted ? 0 : kept, unpurged};
      surplus -= std::min(unpurged, surplus);
    }
    under_way_ += count;
    publish();
  }
  const bool has_any = gone != nullptr || count != 0;
  put_back(gone);
  for (const portion& one : std::span(portions).first(count)) {
    const std::size_t begin = std::max(one.begin, sizeof(fit_block));
    purge_to_zero(one.of->as_bytes() + begin, one.end - begin);
  }
  const holding hold(lock_);
  for (const portion& one : std::span(portions).first(count)) heap_.put_back(one.of, one.begin);
  under_way_ -= count;
  return has_any;
}

void large_space::decay() noexcept {
  if (!purge_lock_.try_lock()) return;
  std::size_t to_keep = 0;
  segment* gone = nullptr;
  {
    const holding hold(lock_);
    to_keep = idle_.rest_of(idle_bytes());
    if (to_keep == idle_bytes()) gone = remove_empty(16 * most_looked_at, true);
  }
  put_back(gone);
  // Keeping nothing would be a trim. Of untouched memory, a portion may be very many blocks.
  for (int i = 0; i < 8 && purge_some(std::max<std::size_t>(to_keep, 1)); ++i) continue;
  purge_lock_.unlock();
}

bool large_space::trim() noexcept {
  bool has_any = false;
  {
    const holding hold(purge_lock_);
    while (purge_some(0)) has_any = true;
  }
  supply_.keep_to_budget();
  return has_any;
}

void large_space::release() noexcept {
  next_looked_at_ = nullptr;
  heap_.reset();
  publish();
  segment_total_ = 0;
  while (segment* const s = segments_) {
    segments_ = s->next;
    checks::forget_blocks(s, s->bytes);
    supply_.give(s, s->bytes);
  }
}

void large_space::keep_to_budget() noexcept {
  std::size_t to_keep = 0;
  {
    const holding hold(lock_);
    to_keep = may_keep();
    if (idle_bytes() <= to_keep) return;
  }
  const holding hold(purge_lock_);
  while (purge_some(std::max<std::size_t>(to_keep, 1))) continue;
}

space_usage large_space::usage() noexcept {
  const holding hold(lock_);
  return {heap_.in_use_blocks(), heap_.in_use_bytes(), heap_.segment_bytes()};
}

}  // namespace mallard::inline v1::detail
