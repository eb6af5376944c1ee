#include "mallard/detail/memory/segment_layout.hpp"

#include <cstring>

namespace mallard::inline v1::detail {
namespace {

constexpr char segment_magic[8] = {'M', 'A', 'L', 'L', 'A', 'R', 'D', '\n'};

}  // namespace

// FNV-1a over the bytes before.
std::uint64_t segment_shape::expected_check() const noexcept {
  unsigned char bytes[offsetof(segment_shape, check)];
  std::memcpy(bytes, this, sizeof bytes);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

segment_shape make_segment_shape(segment_kind kind, std::size_t limit_bytes) noexcept {
  segment_shape shape{};
  std::memcpy(shape.magic, segment_magic, sizeof segment_magic);
  shape.version = segment_version;
  shape.kind = kind;
  shape.limit_bytes = round_up(limit_bytes, unit_bytes);
  shape.header_bytes = sizeof(segment_header);
  shape.slab_bytes = static_cast<std::uint32_t>(segment_slab_bytes(shape.limit_bytes));
  shape.limit_units = static_cast<std::uint32_t>(shape.limit_bytes / unit_bytes);
  const std::size_t map_bytes = divide_up(shape.limit_units, 64) * 8;
  shape.used_map = round_up(sizeof(segment_header), 64);
  shape.slab_map = shape.used_map + map_bytes;
  shape.first_unit = static_cast<std::uint32_t>(divide_up(shape.slab_map + map_bytes, unit_bytes));
  shape.check = shape.expected_check();
  return shape;
}

}  // namespace mallard::inline v1::detail
