// Purpose: the layout of a segment: memory that several processes map at different addresses, or
// that is a file. It holds no addresses, only offsets from its start.
//
// A segment is units of 4 KiB. The first ones hold the header and two bitmaps with a bit for each
// unit: which are in use, and at which a slab begins. A block of up to 2 KiB is a slot of a slab; a
// larger one has units of its own. A slab has an owner, the only client that takes slots from it,
// and two bitmaps of free slots: one that only the owner writes, and one for what all others give
// back. So taking or giving a slot changes one word, which a process that is killed has either done
// or not. The bitmaps are the truth, and everything else follows from them.
//
// Units change hands under the segment's lock, with a record of the operation. Whoever gets the
// lock from a process that died with it undoes that operation, or finishes it.
//
// The slab set of `core` is designed for one process that ends as a whole, so it does not serve
// here:
// - Its slabs and pools hold pointers (rings, owners, upstream). Each process maps the segment
//   elsewhere, so all would be offsets, and its hot paths some instructions longer.
// - It keeps blocks outside the bitmap: a hot block, a word at hand, batches of remote frees. A
//   process that is killed takes those with it. Here every block is in a bitmap at all times.
// - A slab's countdown and its bitmap change one after the other and disagree in between. Here the
//   bitmap is the only truth, and counts are taken from it.
// - Its owners are threads, and the process's registry tells which have ended. Here processes own
//   slabs. A robust lock finds the dead ones, and the next owner must read slabs as they are.
// - Other programs open a file, so its layout has a version; slab sets change theirs freely.
// So they share the size classes, and nothing that is stored.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/memory/type_mark.hpp"

namespace mallard::inline v1::detail {

inline constexpr std::size_t unit_bytes = 4096;
inline constexpr std::size_t largest_slot_bytes = 2048;
inline constexpr unsigned segment_class_count = class_of(largest_slot_bytes) + 1;
inline constexpr std::size_t segment_alignment = std::size_t{2} << 20;  // where it is mapped
inline constexpr std::size_t smallest_segment_bytes = 64 * 1024;
inline constexpr std::size_t largest_segment_bytes = std::size_t{1} << 43;

enum class segment_kind : std::uint32_t { shared = 1, file = 2 };

// The slots of a class's slab, in a segment with slabs of this size.
struct slab_shape {
  std::uint32_t slab_bytes = 0;  // a power of two, to which a slab is aligned in the segment
  std::uint32_t block_bytes = 0;
  std::uint32_t reciprocal = 0;  // 2^32 / block_bytes, rounded up: exact for 16 bits
  std::uint32_t first = 0;       // offset of the first slot
  std::uint32_t slots = 0;
  std::uint32_t words = 0;  // of each bitmap
};

struct segment_slab {
  std::atomic<std::uint32_t> owner;  // number of a client, or nobody
  std::uint32_t size_class;
  std::atomic<std::uint32_t> next;  // unit of another slab: the owner's next, or nobody's next
  std::uint32_t unused;
  std::atomic<std::uint64_t> bits[2];  // and more: the owner's, then those given back by others

  std::atomic<std::uint64_t>* free_words() noexcept { return bits; }
  std::atomic<std::uint64_t>* returned_words(const slab_shape& shape) noexcept {
    return bits + shape.words;
  }
};
static_assert(sizeof(segment_slab) == 32 && std::atomic<std::uint64_t>::is_always_lock_free);

inline constexpr std::uint32_t nobody = 0;
inline constexpr std::uint32_t no_unit = 0;

constexpr std::uint32_t slab_words(std::size_t slots) noexcept {
  return static_cast<std::uint32_t>(divide_up(slots, 64));
}

constexpr slab_shape shape_of(unsigned size_class, std::size_t slab_bytes) noexcept {
  const std::size_t block = class_bytes(size_class);
  const bool wide = block > slab_bytes / 32;
  slab_shape shape;
  shape.slab_bytes = static_cast<std::uint32_t>(
      !wide ? slab_bytes : larger(4 * slab_bytes, std::size_t{16} * 1024));
  shape.block_bytes = static_cast<std::uint32_t>(block);
  shape.reciprocal = static_cast<std::uint32_t>(divide_up(std::uint64_t{1} << 32, block));
  const std::size_t natural = block & (~block + 1);
  std::size_t slots = shape.slab_bytes / block;
  for (;; --slots) {
    const std::size_t header = 16 + std::size_t{16} * slab_words(slots);
    const std::size_t first = round_up(header, natural);
    if (first + slots * block > shape.slab_bytes) continue;
    shape.first = static_cast<std::uint32_t>(first);
    shape.slots = static_cast<std::uint32_t>(slots);
    shape.words = slab_words(slots);
    return shape;
  }
}

// The bits of a bitmap word that stand for slots.
constexpr std::uint64_t segment_slots_of_word(const slab_shape& shape, std::size_t word) noexcept {
  const std::size_t left = shape.slots - word * 64;
  return low_bits(static_cast<unsigned>(smaller(left, std::size_t{64})));
}

// Small segments have small slabs, so that many classes get one.
constexpr std::size_t segment_slab_bytes(std::size_t limit_bytes) noexcept {
  return limit_bytes < (std::size_t{4} << 20) ? 4096 : 16384;
}

inline constexpr std::size_t root_name_bytes = 48;  // with the terminating 0
struct segment_root {
  char name[root_name_bytes];
  std::atomic<std::uint64_t> offset;  // 0: no root; written last
  type_record type;
};
inline constexpr std::size_t root_count = 64;

inline constexpr std::size_t client_count = 64;
struct segment_client_slot {
  std::atomic<std::uint32_t> in_use;
  std::uint32_t process;  // for people
};

// An operation on units, recorded for the process that finds it unfinished.
enum class unit_deed : std::uint32_t { none, taking, giving };
struct unit_record {
  std::atomic<unit_deed> deed;
  std::uint32_t first;
  std::uint32_t count;
};

// Written when a segment is made, and never again.
struct segment_shape {
  char magic[8];
  std::uint32_t version;
  segment_kind kind;
  std::uint64_t limit_bytes;
  std::uint32_t header_bytes;  // of this compilation; detects other machines' layouts
  std::uint32_t slab_bytes;
  std::uint64_t used_map;  // offsets of the bitmaps
  std::uint64_t slab_map;
  std::uint32_t limit_units;
  std::uint32_t first_unit;  // the first one that is not for the header and bitmaps
  std::uint64_t check;       // of all the above

  std::uint64_t expected_check() const noexcept;
};

struct segment_header {
  segment_shape shape;
  std::atomic<std::uint32_t> ready;         // made completely
  std::atomic<std::uint32_t> lowest_free;   // no unit below is free
  std::atomic<std::uint32_t> usable_units;  // as far as the file goes
  unit_record record;
  std::array<std::atomic<std::uint32_t>, segment_class_count> orphans;  // first unowned slab
  pthread_mutex_t lock;                                                 // of the shared kind
  std::array<segment_client_slot, client_count> clients;
  std::array<segment_root, root_count> roots;
};

// The beginning of the header, as read and written while the segment is not mapped.
struct segment_start {
  segment_shape shape;
  std::uint32_t ready;
  std::uint32_t lowest_free;
  std::uint32_t usable_units;
};
static_assert(offsetof(segment_start, ready) == offsetof(segment_header, ready) &&
              offsetof(segment_start, usable_units) == offsetof(segment_header, usable_units));

inline constexpr std::uint32_t segment_version = 2;

// The shape of a new segment.
segment_shape make_segment_shape(segment_kind kind, std::size_t limit_bytes) noexcept;

}  // namespace mallard::inline v1::detail
