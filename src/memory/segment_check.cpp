// Checks that this library may have left a segment so: bitmaps, slabs and roots.
#include <cerrno>
#include <cstring>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/memory/segment.hpp"

namespace mallard::inline v1::detail {

void segment::fail_damaged(const char* found, std::uint64_t where) const {
  fail_memory(memory_fault::damaged, EINVAL, who_, "%s at %llu", found,
              static_cast<unsigned long long>(where));
}

// `end`: where the slabs before it end.
void segment::check_slab(std::uint32_t unit, std::uint32_t& end) const {
  segment_slab& slab = slab_at(unit);
  if (unit < end || unit < shape_.first_unit) fail_damaged("a slab inside another one", unit);
  if (slab.size_class >= segment_class_count) fail_damaged("a slab of no size", unit);
  if (slab.owner.load(std::memory_order_relaxed) > client_count) {
    fail_damaged("a slab of no client", unit);
  }
  const slab_shape shape = shape_of(slab.size_class, shape_.slab_bytes);
  const auto units = static_cast<std::uint32_t>(shape.slab_bytes / unit_bytes);
  end = unit + units;
  if (unit % units != 0 || end > usable_units()) fail_damaged("a slab out of its place", unit);
  if (next_that_is(what::free, unit, end) != end) fail_damaged("a slab in free units", unit);
  for (std::size_t i = 0; i < shape.words; ++i) {
    const std::uint64_t free = slab.free_words()[i].load(std::memory_order_relaxed);
    const std::uint64_t returned = slab.returned_words(shape)[i].load(std::memory_order_relaxed);
    if (((free | returned) & ~segment_slots_of_word(shape, i)) != 0) {
      fail_damaged("a slab with slots that it has not", unit);
    }
  }
}

void segment::check_roots() const {
  const std::uint64_t begin = std::uint64_t{shape_.first_unit} * unit_bytes;
  const std::uint64_t end = std::uint64_t{usable_units()} * unit_bytes;
  for (std::size_t i = 0; i < root_count; ++i) {
    const segment_root& root = header().roots[i];
    const std::uint64_t offset = root.offset.load(std::memory_order_acquire);
    if (offset == 0) continue;
    const bool named =
        root.name[0] != '\0' && std::memchr(root.name, 0, sizeof root.name) != nullptr;
    const bool inside = offset >= begin && offset < end && root.type.bytes <= end - offset;
    const bool aligned = root.type.alignment == 0 || (is_power_of_two(root.type.alignment) &&
                                                      offset % root.type.alignment == 0);
    if (!named || !inside || !aligned) fail_damaged("a root that leads nowhere", i);
  }
}

void segment::check() const {
  const std::uint32_t usable = usable_units();
  if (next_that_is(what::free, 0, shape_.first_unit) != shape_.first_unit) {
    fail_damaged("a header in free units", 0);
  }
  if (const std::uint32_t used = next_that_is(what::used, usable, shape_.limit_units);
      used != shape_.limit_units) {
    fail_damaged("units in use where there are none", used);
  }
  // Whoever makes more units usable takes what the map says of them for true.
  for (std::uint32_t unit = usable / 64 * 64; unit < shape_.limit_units; unit += 64) {
    std::uint64_t beyond = slab_map()[unit / 64].load(std::memory_order_relaxed);
    if (unit < usable) beyond &= ~low_bits(usable - unit);
    if (beyond != 0) fail_damaged("a slab where there is no memory", unit);
  }
  std::uint32_t end = 0;
  for_each_slab([&](std::uint32_t unit, segment_slab&) { check_slab(unit, end); });
  check_roots();
}

}  // namespace mallard::inline v1::detail
