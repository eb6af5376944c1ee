// A pool hands out the slots of one bitmap word of one slab, its current one. When they are used
// up, the sweep goes forward through that slab's words, so that addresses come in order. At the end
// it starts over if enough was given back, else it carves a fresh word. A slab with nothing left
// leaves the pool's ring.
//
// Giving back sets a bit and counts down. Only when the countdown reaches zero, `settle` decides: a
// full slab rejoins the ring; one that is half empty moves behind the others, so that it may become
// empty; an empty one goes to the reserve, where any pool that needs a slab of that size finds it;
// beyond the reserve's limit it goes to the source. So both directions are O(1) except for the
// sweep, whose cost each slot bears once. Functions that are O(slabs) say so.
//
// Nothing here takes a lock. Each thread has sets of its own; slabs move between them by `adopt`,
// `absorb` and `detach`, under the callers' locks.
#include "mallard/detail/core/slab_set.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/known_memory.hpp"
#include "mallard/detail/core/ring.hpp"
#include "mallard/detail/core/slot_bits.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {
namespace {

using pool_ring = ring<slab, &slab::ring_next, &slab::ring_prev>;
using all_ring = ring<slab, &slab::all_next, &slab::all_prev>;

// A slab is swept again only when this many of its slots are free; until then it is out of its
// ring. Otherwise a nearly full one would be swept over and over for single slots. For large blocks
// a few are enough: sweeping for them takes hardly any time, and fresh memory takes much.
std::uint32_t worth_a_sweep(const slab_layout& layout, std::uint32_t slots) noexcept {
  return layout.block_bytes < 1024 ? (slots + 7) / 8 : (slots + 31) / 32;
}

// While only the first page of a slab is in use, though, every free slot there is taken before a
// second page is touched: there are few words to sweep.
std::uint32_t words_on_first_page(const slab_layout& layout) noexcept {
  return static_cast<std::uint32_t>(os::page_bytes >> layout.word_shift);
}

void set_floor(slab& s, std::uint32_t taken, std::uint32_t floor) noexcept {
  s.floor = floor;
  s.countdown = taken - floor;
}

// A slab in the ring moves once, when it becomes less than half full.
std::uint32_t ring_floor(std::uint32_t capacity, std::uint32_t taken) noexcept {
  return taken > capacity / 2 ? capacity / 2 : 0;
}

// A slab out of its ring comes back when no more than this many of its slots are taken.
std::uint32_t full_floor(const slab_layout& layout) noexcept {
  return layout.capacity() - worth_a_sweep(layout, layout.capacity());
}

std::size_t reserve_index(std::size_t slab_bytes) noexcept {
  return static_cast<std::size_t>(std::bit_width(slab_bytes)) - 15;
}

}  // namespace

void zero(void* p, std::size_t bytes) noexcept {
  std::memset(p, 0, bytes);
}

void slab_set::make_current(slab_pool& pool, slab* s) noexcept {
  pool.free_slots = 0;
  pool.base = nullptr;
  if (s == nullptr) return;
  stand_at(pool, *s);
  s->next_word = 0;
  set_floor(*s, s->taken(), 0);
}

// Puts the slab into the pool's ring, behind all others.
void slab_set::enter_ring(slab_pool& pool, slab* s) noexcept {
  s->place = slab_place::ring;
  if (pool.base == nullptr) {
    pool_ring::insert_before(nullptr, s);
    make_current(pool, s);
    return;
  }
  pool_ring::insert_before(current_of(pool, s->layout_index), s);
}

// Takes the slab out of its pool's ring; when it was the current one, the next becomes current.
void slab_set::leave_ring(slab_pool& pool, slab* s) noexcept {
  const bool was_current = current_of(pool, s->layout_index) == s;
  slab* const next = pool_ring::remove(s);
  if (was_current) make_current(pool, next);
}

// Sweeps forward to the next word with free slots. Past the last carved word it starts over when
// enough was given back, else it carves a fresh word. False when the slab is full.
bool slab_set::next_word(slab_pool& pool, slab& s) noexcept {
  const slab_layout& layout = layout_of(s);
  std::uint64_t* const words = s.words();
  for (;;) {
    for (std::uint32_t w = s.next_word; w < s.carved_words; ++w) {
      if (words[w] == 0) continue;
      s.countdown += static_cast<std::uint32_t>(std::popcount(words[w]));
      pool.free_slots = slots_of_word(layout, w, words[w]);
      pool.base = s.slot(layout, layout.slot_of_word(w));
      words[w] = 0;
      s.next_word = static_cast<std::uint16_t>(w + 1);
      return true;
    }
    const std::uint32_t given_back = s.carved_slots - s.taken();
    if (given_back > 0 && (s.carved_words <= words_on_first_page(layout) ||
                           given_back >= worth_a_sweep(layout, s.carved_slots))) {
      s.next_word = 0;
      continue;
    }
    if (s.carved_words == layout.words) return false;
    const std::uint32_t w = s.carved_words++;
    words[w] = 0;
    s.next_word = s.carved_words;
    const std::uint32_t begin = layout.slot_of_word(w);
    const std::uint32_t count = std::min(layout.slot_of_word(w + 1), layout.end_slot) - begin;
    s.carved_slots = static_cast<std::uint16_t>(s.carved_slots + count);
    s.countdown += count;
    pool.free_slots = low_bits(count);
    pool.base = s.slot(layout, begin);
    return true;
  }
}

bool slab_set::advance(slab_pool& pool, unsigned layout_index) noexcept {
  while (pool.base != nullptr) {
    slab* const s = current_of(pool, layout_index);
    // A small slab with room is used before a whole one, so that few blocks stay close together.
    const bool has_few = s->small == 0 && s->carved_words <= words_on_first_page(layout_of(*s));
    if (slab* const next = s->ring_next; has_few && next->small != 0) {
      if (s->taken() != 0) {
        make_current(pool, next);
      } else {
        leave_ring(pool, s);
        retire(pool, s);
        if (pool.free_slots != 0) return true;  // the source has used the pool
      }
      continue;
    }
    if (next_word(pool, *s)) return true;
    leave_ring(pool, s);
    s->place = slab_place::full;
    set_floor(*s, s->taken(), full_floor(layout_of(*s)));
  }
  return false;
}

void slab_set::add_small(growing_pool& pool, slab& s) noexcept {
  const auto link_of = [&](slab& of) -> slab*& { return next_small(of, layout_of(of)); };
  slab* first = pool.first_small();
  slab* before = nullptr;
  for (slab* next = first; next != nullptr && next < &s; next = link_of(*next)) before = next;
  link_of(s) = before == nullptr ? first : link_of(*before);
  (before == nullptr ? first : link_of(*before)) = &s;
  pool.set_smalls(first, layouts_[s.layout_index]);
}

void slab_set::remove_small(slab_pool& of, slab& s) noexcept {
  if (s.small == 0) return;
  const auto link_of = [&](slab& small) -> slab*& { return next_small(small, layout_of(small)); };
  auto& pool = static_cast<growing_pool&>(of);
  slab* first = pool.first_small();
  if (first == &s) {
    first = link_of(s);
  } else {
    slab* before = first;
    while (link_of(*before) != &s) before = link_of(*before);
    link_of(*before) = link_of(s);
  }
  pool.set_smalls(first, layouts_[s.layout_index]);
}

// Returns 0 for a whole slab. A pool that has come to whole slabs stays with them until all is
// released. If memory costs nothing until it is touched, whole slabs follow the first small one, or
// the second where that has many blocks: so a list of 64 nodes stays on few cache lines.
unsigned slab_set::next_size(const slab_pool& pool, const slab_layout& whole) const noexcept {
  if (whole.smalls == nullptr) return 0;
  const auto& growing = static_cast<const growing_pool&>(pool);
  const unsigned largest = growing.largest_size();
  if (largest >= whole.small_count || (reserve_count_ != 0 && has_reserve(whole))) return 0;
  if (largest == 0 || pays_for_memory()) return largest + 1;
  const slab_layout& first = whole.smalls[0];
  return growing.smalls_bytes == first.slab_bytes && first.capacity() >= 16 ? 1 : 0;
}

bool slab_set::grow(slab_pool& pool, unsigned layout_index) {
  // The source may have used the pool, which then has slots already: one small slab is enough. When
  // it gets the other one back, it may use these slots up.
  const auto begin_or_discard = [&](slab* fresh) {
    if (fresh->small == 0 || pool.free_slots == 0) {
      begin(pool, layout_index, fresh);
      return true;
    }
    discard(fresh);
    return refill(pool, layout_index);
  };
  // A fresh pool without a reserve is most of what small resources do: all in one piece.
  const slab_layout& whole = layouts_[layout_index];
  if (whole.smalls != nullptr && reserve_count_ == 0) {
    auto& growing = static_cast<growing_pool&>(pool);
    if (growing.smalls_begin == 0) {
      const slab_layout& layout = whole.smalls[0];
      void* const p = source_->take(context_, layout.slab_bytes, {*this, pool, layout_index});
      if (p == nullptr) return pool.free_slots != 0;
      auto* const s = ::new (static_cast<void*>(header_of(p))) slab;
      add(s);
      s->layout_index = static_cast<std::uint8_t>(layout_index);
      s->small = 1;
      if (growing.smalls_begin != 0) return begin_or_discard(s);
      next_small(*s, layout) = nullptr;
      growing.smalls_begin = address_of(s) | 1;
      growing.smalls_bytes = layout.slab_bytes;
      start(pool, s, layout);
      return true;
    }
  }
  const unsigned small = next_size(pool, whole);
  slab* const s = acquire(pool, layout_index, small, false);
  if (s == nullptr) return pool.free_slots != 0;
  if (!begin_or_discard(s)) return false;
  if (whole.smalls != nullptr) {
    auto& growing = static_cast<growing_pool&>(pool);
    growing.come_to_size(
        larger(growing.largest_size(), small != 0 ? small : whole.small_count + 1u));
  }
  return true;
}

// The source has no slab of the next size: takes the largest smaller one that there is.
bool slab_set::grow_less(slab_pool& pool, unsigned layout_index) noexcept {
  const slab_layout& whole = layouts_[layout_index];
  if (whole.smalls == nullptr) return false;
  if (!keeps_every_slab()) trim_reserve();
  const unsigned next = next_size(pool, whole);
  for (unsigned small = next != 0 ? next : whole.small_count; small != 0; --small) {
    if (slab* const s = acquire(pool, layout_index, small, true)) {
      begin(pool, layout_index, s);
      return true;
    }
  }
  return pool.free_slots != 0;
}

// Makes a fresh slab the pool's current one.
void slab_set::begin(slab_pool& pool, unsigned layout_index, slab* s) noexcept {
  slab* const other = pool.base == nullptr ? nullptr : set_current_aside(pool, layout_index);
  if (s->small != 0) add_small(static_cast<growing_pool&>(pool), *s);
  start(pool, s, layout_of(*s));
  if (other != nullptr) pool_ring::insert_before(other, s);
}

// Returns the current slab, with all its free slots, in its place in the ring; the caller makes
// another one current. Null when there is none; an empty one goes to the reserve.
slab* slab_set::set_current_aside(slab_pool& pool, unsigned layout_index) noexcept {
  while (pool.base != nullptr) {
    rest_pool(pool, layout_index);
    slab* const current = current_of(pool, layout_index);
    if (current->taken() != 0) return current;
    leave_ring(pool, current);
    retire(pool, current);
  }
  return nullptr;
}

void slab_set::rest_pool(slab_pool& pool, unsigned layout_index) noexcept {
  if (pool.base == nullptr) return;
  const slab_layout& layout = layout_at(pool, layouts_[layout_index], pool.base);
  for (; pool.free_slots != 0; pool.free_slots &= pool.free_slots - 1) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(pool.free_slots));
    static_cast<void>(give_slot(pool.base + slot * layout.block_bytes, layout));
  }
}

// The source may have used the pool before it refused.
bool slab_set::scrape(slab_pool& pool, unsigned layout_index) noexcept {
  if (pool.free_slots != 0) return true;
  slab* const s = any_free_slot(layout_index);
  if (s == nullptr) return grow_less(pool, layout_index);
  enter_ring(pool, s);
  make_current(pool, s);
  return next_word(pool, *s);
}

bool slab_rescue::operator()() const noexcept {
  return !is_needed || set.scrape(pool, layout_index);
}

// The first word of a fresh slab is carved at once: the layout knows its slots.
void slab_set::start(slab_pool& pool, slab* s, const slab_layout& layout) noexcept {
  const std::uint32_t count = layout.first_count;
  s->ring_next = s->ring_prev = s;
  s->carved_slots = static_cast<std::uint16_t>(count);
  s->carved_words = s->next_word = 1;
  s->place = slab_place::ring;
  s->countdown = count;
  s->floor = 0;
  s->words()[0] = 0;
  pool.free_slots = layout.first_slots;
  stand_at(pool, *s);
  poison(s->slot(layout, layout.first_slot),
         layout.slab_bytes - layout.first_slot * layout.block_bytes);
}

// A slab with free slots too few for a sweep, which is out of its ring. O(slabs).
slab* slab_set::any_free_slot(unsigned layout_index) const noexcept {
  slab* s = all_;
  if (s == nullptr) return nullptr;
  do {
    if (s->layout_index == layout_index && s->place == slab_place::full &&
        s->taken() < layout_of(*s).capacity()) {
      return s;
    }
    s = s->all_next;
  } while (s != all_);
  return nullptr;
}

namespace {

// Neighbouring free slots.
struct run {
  std::byte* first;
  std::size_t count;
};

// The lowest ones at hand, up to `most`. Requires that there are some. In a fresh slab all are one
// run.
run take_run(slab_pool& pool, std::size_t block_bytes, std::size_t most) noexcept {
  const auto start = static_cast<std::size_t>(std::countr_zero(pool.free_slots));
  const auto length = static_cast<std::size_t>(std::countr_one(pool.free_slots >> start));
  const std::size_t taken = std::min(length, most);
  pool.free_slots &= ~(low_bits(static_cast<unsigned>(taken)) << start);
  return {pool.base + start * block_bytes, taken};
}

// Links all but the last block, which is returned.
void** link_up(const run& neighbours, std::size_t block_bytes, std::size_t bytes) noexcept {
  std::byte* p = neighbours.first;
  for (std::size_t left = neighbours.count; left != 1; --left, p += block_bytes) {
    unpoison(p, bytes);
    *reinterpret_cast<std::byte**>(p) = p + block_bytes;
  }
  unpoison(p, bytes);
  return reinterpret_cast<void**>(p);
}

// Owns blocks until they are released to the caller; otherwise returns them to their slabs.
class unfinished_burst {
 public:
  unfinished_burst(slab_set& set, slab_pool& pool, unsigned layout_index,
                   std::size_t bytes) noexcept
      : set_(set), pool_(pool), layout_index_(layout_index), bytes_(bytes) {}
  unfinished_burst(const unfinished_burst&) = delete;
  unfinished_burst& operator=(const unfinished_burst&) = delete;
  ~unfinished_burst() {
    if (size_ != 0) set_.give_many(pool_, layout_index_, first_, size_);
  }

  std::size_t size() const noexcept { return size_; }
  void append(const run& neighbours, std::size_t block_bytes) noexcept {
    size_ += neighbours.count;
    *link_ = neighbours.first;
    link_ = link_up(neighbours, block_bytes, bytes_);
  }
  chain_ends release() noexcept {
    size_ = 0;
    *link_ = nullptr;
    return {first_, link_};
  }

 private:
  slab_set& set_;
  slab_pool& pool_;
  unsigned layout_index_;
  std::size_t bytes_;
  void* first_ = nullptr;
  void** link_ = &first_;  // of the last block
  std::size_t size_ = 0;
};

}  // namespace

chain_ends slab_set::take_many(slab_pool& pool, unsigned layout_index, std::size_t count,
                               std::size_t bytes) {
  if (count == 0) return {};
  const std::size_t block_bytes = layouts_[layout_index].block_bytes;
  bytes = std::max(bytes, sizeof(void*));
  run first{};
  if (pool.free_slots != 0) {
    first = take_run(pool, block_bytes, count);
    if (first.count == count) {
      void** const last = link_up(first, block_bytes, bytes);
      *last = nullptr;
      return {first.first, last};
    }
  }
  unfinished_burst burst(*this, pool, layout_index, bytes);
  if (first.count != 0) burst.append(first, block_bytes);
  while (burst.size() != count) {
    if (!refill(pool, layout_index)) return {};
    burst.append(take_run(pool, block_bytes, count - burst.size()), block_bytes);
  }
  return burst.release();
}

// Sets the bits of one word of one slab at a time.
void slab_set::give_many(slab_pool& pool, unsigned layout_index, void* first,
                         std::size_t count) noexcept {
  while (count != 0) {
    void* const p = first;
    const slab_layout& layout = layout_at(pool, layouts_[layout_index], p);
    slab* const home = home_of(p, layout.slab_bytes);
    const std::size_t word = (address_of(p) & (layout.slab_bytes - 1)) >> layout.word_shift;
    const std::uintptr_t span_begin = address_of(start_of(home)) + (word << layout.word_shift);
    const std::uintptr_t span_bytes = std::uintptr_t{1} << layout.word_shift;
    const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(home->countdown, count));
    std::uint64_t bits = 0;
    std::uint32_t given = 0;
    do {
      bits |= std::uint64_t{1} << ((address_of(first) >> layout.granule_shift) & 63);
      poison(std::exchange(first, block_chain::next(first)), layout.block_bytes);
      ++given;
    } while (given != most && address_of(first) - span_begin < span_bytes);
    count -= given;
    MALLARD_ASSERT((home->words()[word] & bits) == 0 && "block given back twice");
    home->words()[word] |= bits;
    home->countdown -= given;
    if (home->countdown == 0) settle_slab(pool, home);
  }
}

void slab_set::settle_slab(slab_pool& pool, slab* s) noexcept {
  s->owner.load(order::relaxed)->settle_own(pool, s);
}

void slab_set::settle_own(slab_pool& pool, slab* s) noexcept {
  slab* const current = current_of(pool, s->layout_index);
  if (s == current) return;  // empty, and kept at hand
  const std::uint32_t taken = s->taken();
  if (taken == 0) {
    if (s->place == slab_place::ring) leave_ring(pool, s);
    // Other pools cannot use a small slab: where every slab is kept, it stays with its pool.
    if (s->small == 0 || !keeps_every_slab()) return retire(pool, s);
    enter_ring(pool, s);
    return set_floor(*s, 0, 0);
  }
  if (s->place == slab_place::full) {
    if (current == nullptr) return enter_ring(pool, s);
    s->place = slab_place::ring;
    pool_ring::insert_before(current->ring_next, s);  // the fullest: next in turn
  } else {
    leave_ring(pool, s);
    enter_ring(pool, s);
  }
  set_floor(*s, taken, ring_floor(layout_of(*s).capacity(), taken));
}

// Gets a slab that is in no ring.
slab* slab_set::acquire(slab_pool& pool, unsigned layout_index, unsigned small, bool may_fail) {
  const slab_layout& whole = layouts_[layout_index];
  const slab_layout& layout = small != 0 ? whole.smalls[small - 1] : whole;
  const auto found = [&](slab* s) {
    s->layout_index = static_cast<std::uint8_t>(layout_index);
    s->place = slab_place::ring;  // written with `small`, as they share a byte
    s->small = small & 15;
    return s;
  };
  if (reserve_count_ != 0 && has_reserve(layout)) {
    slab*& kept = reserve_[reserve_index(layout.slab_bytes)];
    slab* const s = kept;
    kept = s->ring_next;
    --reserve_count_;
    return found(s);
  }
  void* const p =
      source_->take(context_, layout.slab_bytes, {*this, pool, layout_index, !may_fail});
  if (p == nullptr) return nullptr;
  auto* const s = ::new (static_cast<void*>(header_of(p))) slab;
  add(s);
  return found(s);
}

void slab_set::add(slab* s) noexcept {
  s->owner.store(this, order::relaxed);
  all_ring::insert_before(all_, s);
  all_ = s;
  known_memory::add(s);
}

bool slab_set::adopt(slab_pool& pool, slab_set& from, slab_pool& from_pool,
                     unsigned layout_index) noexcept {
  if (from_pool.base == nullptr) return false;
  slab* const s = current_of(from_pool, layout_index);
  from.leave_ring(from_pool, s);
  from.remove(s);
  add(s);
  enter_ring(pool, s);
  return true;
}

void slab_set::absorb_slab(slab_pool& pool, slab_set& from, slab* s) noexcept {
  const std::uint32_t taken = s->taken();
  from.remove(s);
  add(s);
  if (taken == 0) return retire(pool, s);
  const std::uint32_t capacity = layout_of(*s).capacity();
  if (const std::uint32_t floor = full_floor(layout_of(*s)); taken > floor) {
    s->place = slab_place::full;
    set_floor(*s, taken, floor);
  } else {
    set_floor(*s, taken, ring_floor(capacity, taken));
    enter_ring(pool, s);
  }
}

void slab_set::retire(slab_pool& pool, slab* empty) noexcept {
  remove_small(pool, *empty);
  const std::size_t list = reserve_index(layout_of(*empty).slab_bytes);
  if (reserve_count_ >= reserve_limit_ || list >= reserve_lists) return discard(empty);
  slab*& kept = reserve_[list];
  unpoison(start_of(empty), layout_of(*empty).slab_bytes);  // another layout may take it over
  empty->place = slab_place::reserve;
  empty->ring_next = kept;
  kept = empty;
  ++reserve_count_;
}

void slab_set::remove(slab* s) noexcept {
  slab* const next = all_ring::remove(s);
  if (all_ == s) all_ = next;
  known_memory::remove(s);
}

void slab_set::discard(slab* empty) noexcept {
  remove(empty);
  return_to_source(empty);
}

void slab_set::return_to_source(slab* s) noexcept {
  const std::size_t bytes = layout_of(*s).slab_bytes;
  unpoison(start_of(s), bytes);
  known_memory::remove(s);
  source_->give(context_, start_of(s), bytes);
}

slab* slab_set::take_current_if_empty(slab_pool& pool, unsigned layout_index) noexcept {
  if (pool.base == nullptr) return nullptr;
  slab* const current = current_of(pool, layout_index);
  const auto at_hand = static_cast<std::uint32_t>(std::popcount(pool.free_slots));
  if (current->taken() != at_hand) return nullptr;
  leave_ring(pool, current);
  remove_small(pool, *current);
  set_floor(*current, 0, 0);
  return current;
}

void slab_set::trim_pool(slab_pool& pool, unsigned layout_index) noexcept {
  while (slab* const empty = take_current_if_empty(pool, layout_index)) discard(empty);
  const slab_layout& layout = layouts_[layout_index];
  if (layout.smalls == nullptr) return;
  // Small ones wait in the ring where every slab is kept. The source may use the pool when it gets
  // one back.
  auto& growing = static_cast<growing_pool&>(pool);
  for (slab* s = growing.first_small(); s != nullptr;) {
    if (s->taken() != 0) {
      s = next_small(*s, layout_of(*s));
      continue;
    }
    leave_ring(pool, s);
    remove_small(pool, *s);
    discard(s);
    s = growing.first_small();
  }
}

void slab_set::retire_current(slab_pool& pool, unsigned layout_index) noexcept {
  if (slab* const empty = take_current_if_empty(pool, layout_index)) retire(pool, empty);
}

bool slab_set::has_reserve(const slab_layout& layout) const noexcept {
  const std::size_t list = reserve_index(layout.slab_bytes);
  return list < reserve_lists && reserve_[list] != nullptr;
}

slab* slab_set::detach_reserve(std::size_t kept, slab* more) noexcept {
  slab* detached = more;
  for (slab*& list : reserve_) {
    while (list != nullptr && reserve_count_ > kept) {
      slab* const s = list;
      list = s->ring_next;
      --reserve_count_;
      remove(s);
      s->ring_next = detached;
      detached = s;
    }
  }
  return detached;
}

slab* slab_set::detach_current(slab_pool& pool, unsigned layout_index) noexcept {
  slab* const s = current_of(pool, layout_index);
  leave_ring(pool, s);
  remove(s);
  return s;
}

void slab_set::give_detached(slab* detached) noexcept {
  while (detached != nullptr) {
    slab* const s = detached;
    detached = s->ring_next;
    return_to_source(s);
  }
}

void slab_set::trim_reserve() noexcept {
  give_detached(detach_reserve(0));
}

void slab_set::release(bool forget) noexcept {
#ifdef MALLARD_MARKS_MEMORY
  forget = false;  // what is given back must not stay poisoned
#endif
  if (forget) known_memory::clear();
  if (all_ != nullptr && !forget) {
    all_->all_prev->all_next = nullptr;
    for (slab* s = all_; s != nullptr;) {
      slab* const next = s->all_next;
      return_to_source(s);
      s = next;
    }
  }
  all_ = nullptr;
  reserve_.fill(nullptr);
  reserve_count_ = 0;
}

// Deliberately reads memory before a foreign block, which may be poisoned: not instrumented.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] const slab_set* slab_set::owner_of_block(
    const void* p, const slab_layout& layout, unsigned layout_index) noexcept {
  if (layout.block_bytes == 0) return nullptr;
  const volatile slab* const home = home_of(const_cast<void*>(p), layout.slab_bytes);
  const std::size_t offset =
      address_of(p) - (address_of(p) & ~(std::uintptr_t{layout.slab_bytes} - 1));
  if (offset % layout.block_bytes != 0 || offset / layout.block_bytes < layout.first_slot) {
    return nullptr;
  }
  if (offset >= os::page_bytes && !known_memory::has(const_cast<const slab*>(home)) &&
      !os::is_mapped(const_cast<const slab*>(home))) {
    return nullptr;
  }
  if (home->layout_index != layout_index) return nullptr;
  return *reinterpret_cast<slab_set* const volatile*>(home);
}

bool slab_set::owns(const void* p, unsigned layout_index) const noexcept {
  if (owner_of_block(p, layouts_[layout_index], layout_index) != this) return false;
  note_slab_of(p, layouts_[layout_index]);
  return true;
}

void slab_set::note_slab_of(const void* p, const slab_layout& layout) noexcept {
  known_memory::note(home_of(const_cast<void*>(p), layout.slab_bytes));
}

bool slab_set::owns(const void* p) const noexcept {
  if (all_ == nullptr) return false;
  const slab* s = all_;
  do {
    if (home_of(const_cast<void*>(p), layout_of(*s).slab_bytes) == s) return true;
    s = s->all_next;
  } while (s != all_);
  return false;
}

slab_usage slab_set::usage() const noexcept {
  slab_usage out;
  if (all_ == nullptr) return out;
  const slab* s = all_;
  do {
    ++out.slabs;
    out.reserved_bytes += layout_of(*s).slab_bytes;
    out.taken_bytes += std::size_t{s->taken()} * layout_of(*s).block_bytes;
    out.freed_bytes += std::size_t{s->carved_slots - s->taken()} * layout_of(*s).block_bytes;
    if (s->taken() == 0) ++out.empty_slabs;
    s = s->all_next;
  } while (s != all_);
  return out;
}

}  // namespace mallard::inline v1::detail
