#include "malloc/large_space.hpp"

#include <algorithm>
#include <new>

#include "mallard/detail/os/pages.hpp"
#include "malloc_checks.hpp"
#include "pages/purging.hpp"

namespace mallard::inline v1::detail {

// A part that was given back comes from the system again when it is used.
void* large_space::take(std::size_t bytes, std::size_t alignment, bool* is_zero) noexcept {
  bool is_purged = false;
  void* const p = heap_.allocate(bytes, alignment, &is_purged);
  if (is_zero != nullptr) *is_zero = is_purged;
  if (p == nullptr) return nullptr;
  if (!is_purged) note_reused(payload_bytes(p));
  return p;
}

// Segments grow with what is there already, so that there are few. A block is only found in a bin
// whose blocks are all large enough: hence a sixteenth more.
void* large_space::allocate(std::size_t bytes, std::size_t alignment, bool* is_zero) noexcept {
  const std::size_t overhead = segment_header_bytes + fit_heap::segment_overhead +
                               fit_heap::first_segment_overhead() + fit_block::header_bytes;
  const std::size_t wanted = bytes + alignment;
  const std::size_t least = round_up(wanted + wanted / 16 + overhead, slice_supply::word_bytes);
  std::size_t roomy = 0;
  for (bool has_waited = false;; has_waited = true) {
    {
      const holding hold(lock_);
      if (void* const p = take(bytes, alignment, is_zero)) return p;
      roomy = std::max(
          least, round_up(std::min(segment_total_ / 4, most_step_bytes), slice_supply::word_bytes));
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
    if (!heap_.extend_segment(r.begin, r.bytes, r.is_fresh)) return false;
    s->bytes += r.bytes;
    return true;
  }
  return false;
}

// If addresses are few, joins the run with the segment before it, so that what was too small at
// that one's end is of use. Else segments stay apart: they are empty sooner, and a large free block
// is not purged as a whole for a few dirty pages.
void large_space::add(const run& r) noexcept {
  segment_total_ += r.bytes;
  if (supply_.has_few_addresses() && has_extended(r)) return;
  segments_ = ::new (r.begin) segment{segments_, r.bytes};
  heap_.add_segment(r.begin + segment_header_bytes, r.bytes - segment_header_bytes, r.is_fresh);
}

void large_space::deallocate(void* p) noexcept {
  std::size_t freed = 0;
  {
    const holding hold(lock_);
    freed = payload_bytes(p);
    heap_.deallocate(p);
    if (!is_too_much(freed)) return;
  }
  give_back_for(freed);
}

bool large_space::resize(void* p, std::size_t bytes) noexcept {
  std::size_t freed = 0;
  {
    const holding hold(lock_);
    const std::size_t before = payload_bytes(p);
    if (bytes > before) {
      const std::size_t now = heap_.expand(p, bytes, bytes);
      if (now != 0) note_reused(now - before);
      return now != 0;
    }
    freed = before - heap_.shrink(p, bytes);
    if (!is_too_much(freed)) return true;
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

bool large_space::is_too_much(std::size_t freed_bytes) noexcept {
  set_idle_bytes(idle_bytes() + freed_bytes);
  return idle_bytes() > may_keep();
}

void large_space::note_reused(std::size_t bytes) noexcept {
  const std::size_t idle = idle_bytes();
  const std::size_t left = idle - std::min(bytes, idle);
  set_idle_bytes(left);
  idle_.fell_to(left);
}

// The segments without blocks, as a list: all of a heap without blocks, else not the one with the
// bins.
large_space::segment* large_space::remove_empty() noexcept {
  segment* gone = nullptr;
  const bool all = heap_.in_use_blocks() == 0 && under_way_ == 0;
  if (all) heap_.reset();
  for (segment** link = &segments_; *link != nullptr;) {
    segment* const s = *link;
    if (!all && !heap_.remove_segment(reinterpret_cast<std::byte*>(s) + segment_header_bytes,
                                      s->bytes - segment_header_bytes)) {
      link = &s->next;
      continue;
    }
    *link = s->next;
    segment_total_ -= s->bytes;
    set_idle_bytes(idle_bytes() - std::min(idle_bytes(), s->bytes));
    s->next = gone;
    gone = s;
  }
  return gone;
}

// Takes out the whole words in a free block, and puts them before those that are gone.
large_space::segment* large_space::take_out(fit_block* b, segment* gone) noexcept {
  segment** link = &segments_;
  while (!(*link)->contains(b)) link = &(*link)->next;
  segment* const s = *link;
  const std::size_t begin = s->offset_of(b);
  const std::size_t end = s->offset_of(b->following());
  const bool is_first = begin == segment_header_bytes;
  const bool is_last = end == s->bytes - fit_block::header_bytes;
  constexpr std::size_t before = fit_block::smallest_bytes + fit_block::header_bytes;
  constexpr std::size_t behind = fit_block::smallest_bytes + segment_header_bytes;
  const std::size_t from = is_first ? 0 : round_up(begin + before, slice_supply::word_bytes);
  const std::size_t to = is_last ? s->bytes : round_down(end - behind, slice_supply::word_bytes);
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
  return ::new (s->at(from)) segment{gone, to - from};
}

// Joined segments are seldom empty, but their free blocks may contain whole words. Slabs can use
// memory that nobody needs here, and the supply knows which of it is dirty.
large_space::segment* large_space::take_out_words(segment* gone) noexcept {
  constexpr std::size_t surely_one = 2 * slice_supply::word_bytes + 4 * segment_header_bytes;
  while (fit_block* const b = heap_.find_free(surely_one)) {
    const bool is_idle = !b->is(fit_block::purged);
    gone = take_out(b, gone);
    if (is_idle) set_idle_bytes(idle_bytes() - std::min(idle_bytes(), gone->bytes));
  }
  return gone;
}

// When two come at once, one is enough.
void large_space::purge_if_nobody_does(std::size_t to_keep) noexcept {
  if (!purge_lock_.try_lock()) return;
  purge_some(to_keep);
  purge_lock_.unlock();
}

bool large_space::purge_some(std::size_t to_keep) noexcept {
  std::array<fit_block*, most_purged> blocks;
  std::size_t count = 0;
  segment* gone = nullptr;
  {
    const holding hold(lock_);
    if (idle_bytes() <= to_keep && to_keep != 0) return false;
    gone = remove_empty();
    if (to_keep == 0 || supply_.has_few_addresses()) gone = take_out_words(gone);
    while (count != blocks.size() && (idle_bytes() > to_keep || to_keep == 0)) {
      fit_block* const b = heap_.take_unpurged(purged_bytes);
      if (b == nullptr) {
        set_idle_bytes(0);  // in blocks of which no page can go
        break;
      }
      set_idle_bytes(idle_bytes() - std::min(idle_bytes(), b->bytes()));
      blocks[count++] = b;
    }
    under_way_ += count;
    idle_.fell_to(idle_bytes());
  }
  const bool has_any = gone != nullptr || count != 0;
  while (segment* const s = gone) {
    gone = s->next;
    void* const begin = s;
    supply_.put_back(&begin, 1, s->bytes);
  }
  for (std::size_t i = 0; i < count; ++i) {
    purge_to_zero(blocks[i] + 1, blocks[i]->bytes() - sizeof(fit_block));
  }
  const holding hold(lock_);
  for (std::size_t i = 0; i < count; ++i) heap_.put_back_purged(blocks[i]);
  under_way_ -= count;
  return has_any;
}

void large_space::decay() noexcept {
  std::size_t to_keep = 0;
  {
    const holding hold(lock_);
    to_keep = idle_.rest_of(idle_bytes());
    if (to_keep == idle_bytes()) return;
  }
  // Keeping nothing would be a trim.
  purge_if_nobody_does(std::max<std::size_t>(to_keep, 1));
}

void large_space::trim() noexcept {
  {
    const holding hold(purge_lock_);
    while (purge_some(0)) continue;
  }
  supply_.keep_to_budget();
}

void large_space::release() noexcept {
  heap_.reset();
  set_idle_bytes(0);
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
