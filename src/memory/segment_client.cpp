#include "mallard/detail/memory/segment_client.hpp"

#include <unistd.h>

#include <cerrno>

#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/os/mapping.hpp"

namespace mallard::inline v1::detail {
namespace {

constexpr unsigned looked_at_each_time = 4;
constexpr unsigned all_of_ring = ~0u;

}  // namespace

segment_client::segment_client(segment& of) noexcept : segment_(of) {
  for (unsigned i = 0; i < segment_class_count; ++i) {
    lanes_[i].block_bytes = class_bytes(i);
    put_away(lanes_[i]);
  }
}

void segment_client::put_away(lane& l) noexcept {
  l.word = &no_slots_;
  l.first = nullptr;
  l.current = l.sweep = no_unit;
}

void segment_client::forget() noexcept {
  number_ = not_attached;
  for (lane& l : lanes_) put_away(l);
}

// Moves blocks that others gave back to the owner's bitmap. In between a slot is in both bitmaps,
// and may be: whoever finds it so does the same again. Returns how many slots are free.
std::uint32_t segment_client::collect(std::uint32_t unit, const slab_shape& shape) noexcept {
  segment_slab& slab = segment_.slab_at(unit);
  std::uint32_t slots = 0;
  for (std::size_t i = 0; i < shape.words; ++i) {
    auto& returned = slab.returned_words(shape)[i];
    auto& free = slab.free_words()[i];
    std::uint64_t now = free.load(std::memory_order_relaxed);
    if (const std::uint64_t back = returned.load(std::memory_order_acquire); back != 0) {
      free.store(now |= back, std::memory_order_relaxed);
      returned.fetch_and(~back, std::memory_order_release);
    }
    slots += static_cast<std::uint32_t>(std::popcount(now));
  }
  return slots;
}

// Goes to the next word with free slots after the one at hand, in turn.
bool segment_client::use_slab(unsigned size_class, std::uint32_t unit) noexcept {
  lane& l = lanes_[size_class];
  const slab_shape& shape = shapes_[size_class];
  if (collect(unit, shape) == 0) return false;
  segment_slab& slab = segment_.slab_at(unit);
  const bool goes_on = l.current == unit && l.word != &no_slots_;
  const std::size_t start = goes_on ? static_cast<std::size_t>(l.word - slab.free_words()) + 1 : 0;
  for (std::size_t i = 0; i < shape.words; ++i) {
    const std::size_t word = (start + i) % shape.words;
    if (slab.free_words()[word].load(std::memory_order_relaxed) == 0) continue;
    l.word = &slab.free_words()[word];
    l.first = reinterpret_cast<std::byte*>(&slab) + shape.first + word * 64 * shape.block_bytes;
    l.current = unit;
    return true;
  }
  return false;
}

bool segment_client::use_next_of_ring(unsigned size_class, unsigned most,
                                      std::uint32_t least_slots) noexcept {
  lane& l = lanes_[size_class];
  if (l.current == no_unit) return false;
  if (use_slab(size_class, l.current)) return true;
  const std::uint32_t first = l.sweep;
  for (unsigned i = 0; i < most; ++i) {
    const std::uint32_t unit = l.sweep;
    l.sweep = segment_.slab_at(unit).next.load(std::memory_order_relaxed);
    if (collect(unit, shapes_[size_class]) >= least_slots && use_slab(size_class, unit))
      return true;
    if (l.sweep == first) return false;
  }
  return false;
}

void segment_client::add_to_ring(unsigned size_class, std::uint32_t unit) noexcept {
  lane& l = lanes_[size_class];
  segment_slab& slab = segment_.slab_at(unit);
  if (l.current == no_unit) {
    slab.next.store(unit, std::memory_order_relaxed);
    l.sweep = l.current = unit;
    l.word = &no_slots_;
    return;
  }
  segment_slab& before = segment_.slab_at(l.current);
  slab.next.store(before.next.load(std::memory_order_relaxed), std::memory_order_relaxed);
  before.next.store(unit, std::memory_order_relaxed);
}

// A slab without an owner may be full: it joins the ring all the same, as somebody has to own it.
bool segment_client::use_slab_of_segment(unsigned size_class, bool may_grow, int& error) noexcept {
  while (const std::uint32_t unit = segment_.adopt_slab(size_class, number_)) {
    add_to_ring(size_class, unit);
    if (use_slab(size_class, unit)) return true;
  }
  const segment::taken fresh =
      segment_.take_slab(size_class, shapes_[size_class], number_, may_grow);
  error = fresh.error;
  if (fresh.unit == no_unit) return false;
  add_to_ring(size_class, fresh.unit);
  return use_slab(size_class, fresh.unit);
}

void* segment_client::take_slowly(unsigned size_class, int& error) {
  const std::uint32_t enough = larger(shapes_[size_class].slots / 16, 1u);
  if (use_next_of_ring(size_class, looked_at_each_time, enough)) return take(size_class);
  const segment::guard held(segment_);
  need_to_be_attached();
  if (use_slab_of_segment(size_class, true, error)) return take(size_class);
  // There is none: tries free slots in small pieces, empty slabs, and what the dead have left.
  if (use_next_of_ring(size_class, all_of_ring, 1)) return take(size_class);
  adopt_the_dead_with_lock();
  give_empty_slabs();
  int still = 0;
  if (use_slab_of_segment(size_class, true, still)) return take(size_class);
  return nullptr;
}

segment::taken segment_client::take_units(std::uint32_t count, std::uint32_t alignment) {
  const segment::guard held(segment_);
  need_to_be_attached();
  const segment::taken first = segment_.take_units(count, alignment, true);
  if (first.unit != no_unit) return first;
  adopt_the_dead_with_lock();
  give_empty_slabs();
  const segment::taken second = segment_.take_units(count, alignment, true);
  return second.unit != no_unit ? second : first;
}

void segment_client::give_units(std::uint32_t first, std::uint32_t count) {
  const segment::guard held(segment_);
  segment_.give_units(first, count);
}

// Links the ring anew, of the slabs that `keep(unit)` leaves in it.
template <class Keep>
void segment_client::filter_ring(unsigned size_class, Keep&& keep) noexcept {
  lane& l = lanes_[size_class];
  if (l.current == no_unit) return;
  const std::uint32_t start = l.current;
  std::uint32_t first = no_unit;
  std::uint32_t last = no_unit;
  bool keeps_current = false;
  for (std::uint32_t unit = start, next = no_unit; next != start; unit = next) {
    next = segment_.slab_at(unit).next.load(std::memory_order_relaxed);
    if (!keep(unit)) continue;
    if (first == no_unit) {
      first = unit;
    } else {
      segment_.slab_at(last).next.store(unit, std::memory_order_relaxed);
    }
    last = unit;
    keeps_current = keeps_current || unit == start;
  }
  if (first == no_unit) return put_away(l);
  segment_.slab_at(last).next.store(first, std::memory_order_relaxed);
  l.sweep = first;
  if (keeps_current) return;
  l.word = &no_slots_;
  l.current = first;
}

// Requires the lock.
void segment_client::give_empty_slabs() noexcept {
  for (unsigned size_class = 0; size_class < segment_class_count; ++size_class) {
    const slab_shape& shape = shapes_[size_class];
    filter_ring(size_class, [&](std::uint32_t unit) {
      if (collect(unit, shape) != shape.slots) return true;
      segment_.give_slab(unit, shape);
      return false;
    });
  }
  segment_.give_empty_slabs_of_nobody();
}

void segment_client::trim() {
  const segment::guard held(segment_);
  give_empty_slabs();
}

// The lock on the slot's number tells whether its client still exists.
bool segment_client::take_client_slot(std::uint32_t i, bool exclusive, bool& was_in_use) noexcept {
  if (os::lock_number(segment_.descriptor(), i + 1, exclusive) != 0) return false;
  segment_client_slot& slot = segment_.header().clients[i];
  was_in_use = slot.in_use.load(std::memory_order_acquire) != 0;
  slot.in_use.store(1, std::memory_order_release);
  slot.process = static_cast<std::uint32_t>(getpid());
  number_ = i + 1;
  return true;
}

bool segment_client::attach() {
  const segment::guard held(segment_);
  for (unsigned i = 0; i < segment_class_count; ++i) {
    shapes_[i] = shape_of(i, segment_.shape().slab_bytes);
  }
  return attach_with_lock();
}

bool segment_client::attach_with_lock() {
  const bool alone = segment_.shape().kind == segment_kind::file;
  const std::uint32_t most = alone ? 1 : static_cast<std::uint32_t>(client_count);
  bool was_in_use = false;
  for (std::uint32_t i = 0; i < most; ++i) {
    if (!take_client_slot(i, !segment_.is_private(), was_in_use)) continue;
    if (was_in_use && !alone) segment_.leave_slabs_of(number_);
    return was_in_use;
  }
  fail_memory(memory_fault::in_use, EAGAIN, segment_.who(), "no place is left beside %u user(s)",
              most);
}

unsigned segment_client::adopt_the_dead() {
  const segment::guard held(segment_);
  return adopt_the_dead_with_lock();
}

unsigned segment_client::adopt_the_dead_with_lock() noexcept {
  if (segment_.shape().kind == segment_kind::file) return 0;
  unsigned dead = 0;
  for (std::uint32_t i = 0; i < client_count; ++i) {
    segment_client_slot& slot = segment_.header().clients[i];
    if (i + 1 == number_ || slot.in_use.load(std::memory_order_acquire) == 0) continue;
    if (os::lock_number(segment_.descriptor(), i + 1, true) != 0) continue;
    segment_.leave_slabs_of(i + 1);
    slot.in_use.store(0, std::memory_order_release);
    os::unlock_number(segment_.descriptor(), i + 1);
    ++dead;
  }
  return dead;
}

bool segment_client::leave() noexcept {
  if (number_ == not_attached) return false;
  try {
    const segment::guard held(segment_);
    for (unsigned size_class = 0; size_class < segment_class_count; ++size_class) {
      const slab_shape& shape = shapes_[size_class];
      filter_ring(size_class, [&](std::uint32_t unit) {
        if (collect(unit, shape) == shape.slots) {
          segment_.give_slab(unit, shape);
        } else {
          segment_.leave_slab(unit);
        }
        return false;
      });
    }
    // A file's resource does this itself, when all that was written before has reached the file.
    if (segment_.shape().kind == segment_kind::shared) {
      segment_.header().clients[number_ - 1].in_use.store(0, std::memory_order_release);
      os::unlock_number(segment_.descriptor(), number_);
    }
  } catch (const memory_error&) {
    // The lock is lost, and with it the segment; the slot will be found without its client.
  }
  forget();
  return true;
}

}  // namespace mallard::inline v1::detail
