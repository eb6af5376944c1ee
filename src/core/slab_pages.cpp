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

void mark(page_set& pages, std::size_t offset, std::size_t bytes) noexcept {
  const std::size_t last = (offset + bytes - 1) / os::page_bytes;
  for (std::size_t page = offset / os::page_bytes; page <= last; ++page) pages[page] = true;
}

page_set pages_in_use(slab& s, const slab_layout& layout) noexcept {
  page_set pages{};
  mark(pages, 0, slab_header_bytes + layout.words * sizeof(std::uint64_t));
  const std::uint32_t end = std::min(layout.slot_of_word(s.carved_words), layout.end_slot);
  for (std::uint32_t slot = layout.first_slot; slot < end; ++slot) {
    const std::size_t offset = std::size_t{slot} * layout.block_bytes;
    const std::uint64_t word = s.words()[offset >> layout.word_shift];
    if ((word >> ((offset >> layout.granule_shift) & 63) & 1) != 0) continue;
    mark(pages, offset, layout.block_bytes);
  }
  return pages;
}

void purge_slab(slab& s, const slab_layout& layout) noexcept {
  const std::size_t count = layout.slab_bytes / os::page_bytes;
  // With so many blocks in use a page without any is hardly to be found.
  if (s.taken() > 4 * count) return;
  const page_set in_use = pages_in_use(s, layout);
  for (std::size_t begin = 0; begin < count; ++begin) {
    if (in_use[begin]) continue;
    std::size_t end = begin + 1;
    while (end < count && !in_use[end]) ++end;
    os::purge(reinterpret_cast<std::byte*>(&s) + begin * os::page_bytes,
              (end - begin) * os::page_bytes);
    begin = end;
  }
}

}  // namespace

void slab_set::purge_free_pages() noexcept {
  slab* s = all_;
  if (s == nullptr) return;
  do {
    if (s->place != slab_place::reserve &&
        layout_of(*s).slab_bytes <= most_pages * os::page_bytes) {
      purge_slab(*s, layout_of(*s));
    }
    s = s->all_next;
  } while (s != all_);
}

}  // namespace mallard::inline v1::detail
