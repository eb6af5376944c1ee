#include "malloc/hardened/misuse.hpp"

#include "malloc/fatal.hpp"
#include "malloc/guarded_blocks.hpp"
#include "malloc/hardened/hardened_checks.hpp"

namespace mallard::inline v1::detail {
namespace {

enum class finding { freed_block, inside_block, no_block, foreign };

bool was_freed(const void* p) noexcept {
  const hardened_checks::state* const s = hardened_checks::state_of(p);
  return s != nullptr && s->load(std::memory_order_relaxed) == freed;
}

bool is_in_use(const void* p) noexcept {
  const hardened_checks::state* const s = hardened_checks::state_of(p);
  return s != nullptr && hardened_checks::is_live(s->load(std::memory_order_relaxed));
}

// Requires that `p` lies in a slice of a slab.
finding find_in_slab(const void* p, unsigned size_class) noexcept {
  const slab_layout& layout = class_layouts[size_class];
  const std::uintptr_t start = address_of(p) & ~(std::uintptr_t{layout.slab_bytes} - 1);
  const std::uintptr_t offset = address_of(p) - start;
  const std::uintptr_t begin = start + offset / layout.block_bytes * layout.block_bytes;
  if (begin == address_of(p)) return was_freed(p) ? finding::freed_block : finding::no_block;
  return is_in_use(reinterpret_cast<const void*>(begin)) ? finding::inside_block
                                                         : finding::no_block;
}

finding find(const void* p) noexcept {
  const void* const granule = reinterpret_cast<const void*>(address_of(p) & ~std::uintptr_t{15});
  if (hardened_checks::state_of(granule) == nullptr) return finding::foreign;
  // The region's header is there.
  if (region::index_of(p) == 0) return finding::no_block;
  const slice_mark mark = mark_of(p);
  if (mark.is_slab()) {
    return find_in_slab(p, static_cast<unsigned>(mark.size_class()));
  }
  // Its slab was given back since, or it was large.
  return was_freed(p) ? finding::freed_block : finding::no_block;
}

}  // namespace

void report_misuse(const char* verb, const void* p, huge_state huge) noexcept {
  const bool freeing = verb[0] == 'f';
  if (!freeing && the_guarded.holds(p)) static_cast<void>(the_guarded.bytes_of(p));  // has stacks
  switch (huge == huge_state::gone     ? finding::freed_block
          : huge == huge_state::around ? finding::inside_block
                                       : find(p)) {
    case finding::freed_block:
      if (freeing) fatal("double free of the block", p);
      fatal(verb, "a block that was freed", p);
    case finding::inside_block:
      fatal(verb, "an address inside a block", p);
    case finding::no_block:
      fatal(verb, "an address where no block begins", p);
    case finding::foreign:
      break;
  }
  fatal(verb, "an address that malloc did not hand out", p);
}

}  // namespace mallard::inline v1::detail
