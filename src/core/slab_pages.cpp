// Purges the pages of a slab that no block in use touches.
#include <algorithm>
#include <array>

#include "mallard/detail/core/ring.hpp"
#include "mallard/detail/core/slab_set.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {
namespace {

constexpr std::size_t most_pages = (std::size_t{2} << 20) / os::page_bytes;

void mark(bool* pages, std::size_t page, std::size_t offset, std::size_t bytes) noexcept {
  const std::size_t last = (offset + bytes - 1) / page;
  for (std::size_t i = offset / page; i <= last; ++i) pages[i] = true;
}

void mark_in_use(bool* pages, slab& s, const slab_layout& layout, std::size_t page) noexcept {
  if (is_header_in_slab) {
    mark(pages, page, 0, slab_header_bytes + layout.words * sizeof(std::uint64_t));
  }
  const std::uint32_t end = std::min(layout.slot_of_word(s.carved_words), layout.end_slot);
  for (std::uint32_t slot = layout.first_slot; slot < end; ++slot) {
    const std::size_t offset = std::size_t{slot} * layout.block_bytes;
    const std::uint64_t word = s.words()[offset >> layout.word_shift];
    if ((word >> ((offset >> layout.granule_shift) & 63) & 1) != 0) continue;
    mark(pages, page, offset, layout.block_bytes);
  }
}

std::size_t purge_slab(slab& s, const slab_layout& layout, std::size_t page) noexcept {
  const std::size_t count = layout.slab_bytes / page;
  // With so many blocks in use, hardly any page is without one.
  if (s.taken() > 4 * count) return 0;
  std::array<bool, most_pages> in_use;  // only the first `count`
  std::fill_n(in_use.begin(), count, false);
  mark_in_use(in_use.data(), s, layout, page);
  std::size_t bytes = 0;
  for (std::size_t begin = 0; begin < count; ++begin) {
    if (in_use[begin]) continue;
    std::size_t end = begin + 1;
    while (end < count && !in_use[end]) ++end;
    os::purge(start_of(&s) + begin * page, (end - begin) * page);
    bytes += (end - begin) * page;
    begin = end;
  }
  return bytes;
}

}  // namespace

// The ring of all slabs is turned, so that the next call continues there.
std::size_t slab_set::purge_free_pages(std::size_t& left_bytes, std::size_t most_bytes) noexcept {
  const std::size_t page = os::page_size();
  std::size_t bytes = 0;
  for (std::size_t seen = 0; all_ != nullptr && left_bytes != 0 && seen < most_bytes;) {
    slab& s = *all_;
    const slab_layout& layout = layout_of(s);
    seen += layout.slab_bytes;
    left_bytes -= smaller(left_bytes, std::size_t{layout.slab_bytes});
    if (s.place != slab_place::reserve && layout.slab_bytes <= most_pages * os::page_bytes) {
      bytes += purge_slab(s, layout, page);
    }
    all_ = s.all_next;
  }
  return bytes;
}

}  // namespace mallard::inline v1::detail
