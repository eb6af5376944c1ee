// The pages of a slab that no block in use touches.
#include <algorithm>
#include <array>

#include "mallard/detail/core/ring.hpp"
#include "mallard/detail/core/slab_set.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {
namespace {

constexpr std::size_t most_pages = (std::size_t{2} << 20) / os::page_bytes;
using page_set = std::array<bool, most_pages>;

void mark(page_set& pages, std::size_t page, std::size_t offset, std::size_t bytes) noexcept {
  const std::size_t last = (offset + bytes - 1) / page;
  for (std::size_t i = offset / page; i <= last; ++i) pages[i] = true;
}

page_set pages_in_use(slab& s, const slab_layout& layout, std::size_t page) noexcept {
  page_set pages{};
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
  return pages;
}

std::size_t purge_slab(slab& s, const slab_layout& layout, std::size_t page) noexcept {
  const std::size_t count = layout.slab_bytes / page;
  // With so many blocks in use a page without any is hardly to be found.
  if (s.taken() > 4 * count) return 0;
  const page_set in_use = pages_in_use(s, layout, page);
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

std::size_t slab_set::purge_free_pages() noexcept {
  slab* s = all_;
  if (s == nullptr) return 0;
  const std::size_t page = os::page_size();
  std::size_t bytes = 0;
  do {
    if (s->place != slab_place::reserve &&
        layout_of(*s).slab_bytes <= most_pages * os::page_bytes) {
      bytes += purge_slab(*s, layout_of(*s), page);
    }
    s = s->all_next;
  } while (s != all_);
  return bytes;
}

}  // namespace mallard::inline v1::detail
