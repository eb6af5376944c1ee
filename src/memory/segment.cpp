#include "mallard/detail/memory/segment.hpp"

#include <bit>
#include <cerrno>

#include "mallard/detail/memory/failures.hpp"

namespace mallard::inline v1::detail {

// Only the lock's holder changes it. It is not trusted for touching memory.
std::uint32_t segment::usable_units() const noexcept {
  return smaller(header().usable_units.load(std::memory_order_acquire), shape_.limit_units);
}

void segment::lock() {
  if (shape_.kind != segment_kind::shared) return;
  const int error = pthread_mutex_lock(&header().lock);
  if (error == 0) return;
  if (error != EOWNERDEAD) {
    fail_memory(memory_fault::damaged, error, who_, "the segment's lock cannot be taken");
  }
  recover();
  pthread_mutex_consistent(&header().lock);
}

void segment::unlock() noexcept {
  if (shape_.kind == segment_kind::shared) pthread_mutex_unlock(&header().lock);
}

// Returns `to` when there is none.
std::uint32_t segment::next_that_is(what state, std::uint32_t from,
                                    std::uint32_t to) const noexcept {
  const std::uint64_t flip = state == what::used ? 0 : ~std::uint64_t{0};
  while (from < to) {
    const std::uint64_t word = used_map()[from / 64].load(std::memory_order_relaxed) ^ flip;
    if (const std::uint64_t rest = word >> (from % 64); rest != 0) {
      return smaller(to, from + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
    from = (from / 64 + 1) * 64;
  }
  return to;
}

std::uint32_t segment::find_row(std::uint32_t count, std::uint32_t alignment, std::uint32_t from,
                                std::uint32_t to) const noexcept {
  const auto aligned = [&](std::uint32_t unit) {
    return static_cast<std::uint32_t>(round_up(unit, alignment));
  };
  std::uint64_t unit = aligned(next_that_is(what::free, from, to));
  while (unit + count <= to) {
    const auto at = static_cast<std::uint32_t>(unit);
    const std::uint32_t used = next_that_is(what::used, at, at + count);
    if (used == at + count) return at;
    unit = aligned(next_that_is(what::free, used + 1, to));
  }
  return no_unit;
}

segment::taken segment::find_units(std::uint32_t count, std::uint32_t alignment,
                                   bool may_grow) noexcept {
  segment_header& h = header();
  const std::uint32_t usable = usable_units();
  const std::uint32_t lowest = next_that_is(
      what::free,
      larger(shape_.first_unit, smaller(h.lowest_free.load(std::memory_order_relaxed), usable)),
      usable);
  h.lowest_free.store(lowest, std::memory_order_relaxed);
  if (const std::uint32_t unit = find_row(count, alignment, lowest, usable)) return {unit, 0};
  if (!may_grow) return {};
  // Looks behind the last unit in use.
  std::uint32_t end = usable;
  while (end > lowest && next_that_is(what::used, end - 1, end) == end) --end;
  const std::uint64_t unit = round_up(end, alignment);
  if (unit + count > shape_.limit_units) return {};
  if (const int error = grow(static_cast<std::uint32_t>(unit) + count)) return {no_unit, error};
  return {static_cast<std::uint32_t>(unit), 0};
}

void segment::begin_deed(unit_deed deed, std::uint32_t first, std::uint32_t count) noexcept {
  unit_record& record = header().record;
  record.first = first;
  record.count = count;
  record.deed.store(deed, std::memory_order_seq_cst);
}

void segment::end_deed() noexcept {
  header().record.deed.store(unit_deed::none, std::memory_order_release);
}

// Each word is written after all that was written before.
void segment::mark_units(std::uint32_t first, std::uint32_t count, what state) noexcept {
  for (std::uint32_t unit = first; unit < first + count;) {
    const std::uint32_t in_word = smaller(64 - unit % 64, first + count - unit);
    map_word& word = used_map()[unit / 64];
    const std::uint64_t bits = low_bits(in_word) << (unit % 64);
    const std::uint64_t old = word.load(std::memory_order_relaxed);
    word.store(state == what::used ? old | bits : old & ~bits, std::memory_order_release);
    unit += in_word;
  }
}

void segment::mark_slab(std::uint32_t unit, bool is_slab) noexcept {
  map_word& word = slab_map()[unit / 64];
  const std::uint64_t bit = std::uint64_t{1} << (unit % 64);
  const std::uint64_t old = word.load(std::memory_order_relaxed);
  word.store(is_slab ? old | bit : old & ~bit, std::memory_order_release);
}

segment::taken segment::take_units(std::uint32_t count, std::uint32_t alignment,
                                   bool may_grow) noexcept {
  const taken found = find_units(count, alignment, may_grow);
  if (found.unit == no_unit) return found;
  begin_deed(unit_deed::taking, found.unit, count);
  mark_units(found.unit, count, what::used);
  end_deed();
  return found;
}

void segment::give_units(std::uint32_t first, std::uint32_t count) noexcept {
  segment_header& h = header();
  begin_deed(unit_deed::giving, first, count);
  mark_slab(first, false);
  mark_units(first, count, what::free);
  end_deed();
  if (first < h.lowest_free.load(std::memory_order_relaxed)) {
    h.lowest_free.store(first, std::memory_order_relaxed);
  }
}

std::uint32_t segment::adopt_slab(unsigned size_class, std::uint32_t owner) noexcept {
  std::atomic<std::uint32_t>& head = header().orphans[size_class];
  const std::uint32_t unit = head.load(std::memory_order_relaxed);
  if (unit == no_unit) return no_unit;
  segment_slab& slab = slab_at(unit);
  head.store(slab.next.load(std::memory_order_relaxed), std::memory_order_relaxed);
  slab.owner.store(owner, std::memory_order_relaxed);
  return unit;
}

segment::taken segment::take_slab(unsigned size_class, const slab_shape& shape, std::uint32_t owner,
                                  bool may_grow) noexcept {
  const auto count = static_cast<std::uint32_t>(shape.slab_bytes / unit_bytes);
  const taken found = find_units(count, count, may_grow);
  if (found.unit == no_unit) return found;
  begin_deed(unit_deed::taking, found.unit, count);
  mark_units(found.unit, count, what::used);
  segment_slab& slab = slab_at(found.unit);
  slab.owner.store(owner, std::memory_order_relaxed);
  slab.size_class = size_class;
  slab.next.store(no_unit, std::memory_order_relaxed);
  slab.unused = 0;
  for (std::size_t i = 0; i < shape.words; ++i) {
    slab.free_words()[i].store(segment_slots_of_word(shape, i), std::memory_order_relaxed);
    slab.returned_words(shape)[i].store(0, std::memory_order_relaxed);
  }
  mark_slab(found.unit, true);
  end_deed();
  return found;
}

void segment::give_slab(std::uint32_t unit, const slab_shape& shape) noexcept {
  give_units(unit, static_cast<std::uint32_t>(shape.slab_bytes / unit_bytes));
}

void segment::leave_slab(std::uint32_t unit) noexcept {
  segment_slab& slab = slab_at(unit);
  slab.owner.store(nobody, std::memory_order_relaxed);
  std::atomic<std::uint32_t>& head = header().orphans[slab.size_class];
  slab.next.store(head.load(std::memory_order_relaxed), std::memory_order_relaxed);
  head.store(unit, std::memory_order_release);
}

void segment::leave_slabs_of(std::uint32_t owner) noexcept {
  for_each_slab([&](std::uint32_t unit, segment_slab& slab) {
    if (slab.owner.load(std::memory_order_relaxed) == owner) leave_slab(unit);
  });
}

void segment::give_empty_slabs_of_nobody() noexcept {
  for (unsigned size_class = 0; size_class < segment_class_count; ++size_class) {
    const slab_shape shape = shape_of(size_class, shape_.slab_bytes);
    std::atomic<std::uint32_t>* link = &header().orphans[size_class];
    for (std::uint32_t unit = 0; (unit = link->load(std::memory_order_relaxed)) != no_unit;) {
      segment_slab& slab = slab_at(unit);
      bool empty = true;
      for (std::size_t i = 0; i < shape.words && empty; ++i) {
        empty = (slab.free_words()[i].load(std::memory_order_relaxed) |
                 slab.returned_words(shape)[i].load(std::memory_order_acquire)) ==
                segment_slots_of_word(shape, i);
      }
      if (!empty) {
        link = &slab.next;
        continue;
      }
      link->store(slab.next.load(std::memory_order_relaxed), std::memory_order_release);
      give_slab(unit, shape);
    }
  }
}

void segment::recover() noexcept {
  segment_header& h = header();
  const unit_record& record = h.record;
  // Undoing a taking is the same as finishing a giving.
  const bool sane = record.first >= shape_.first_unit && record.first < shape_.limit_units &&
                    record.count <= shape_.limit_units - record.first;
  if (record.deed.load(std::memory_order_acquire) != unit_deed::none && sane) {
    mark_slab(record.first, false);
    mark_units(record.first, record.count, what::free);
  }
  end_deed();
  h.lowest_free.store(shape_.first_unit, std::memory_order_relaxed);
  for (auto& head : h.orphans) head.store(no_unit, std::memory_order_relaxed);
  leave_slabs_of(nobody);
}

std::uint32_t segment::units_in_use() const noexcept {
  std::uint32_t units = 0;
  const std::size_t words = divide_up(usable_units(), 64);
  for (std::size_t i = 0; i < words; ++i) {
    units +=
        static_cast<std::uint32_t>(std::popcount(used_map()[i].load(std::memory_order_relaxed)));
  }
  return units;
}

}  // namespace mallard::inline v1::detail
