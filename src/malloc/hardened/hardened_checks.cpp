#include "malloc/hardened/hardened_checks.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "mallard/detail/os/uncancelled.hpp"
#include "malloc/engine.hpp"
#include "malloc/fatal.hpp"
#include "malloc/guarded_blocks.hpp"
#include "malloc/hardened/misuse.hpp"
#include "malloc/huge_block.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/large_space.hpp"
#include "malloc/text_out.hpp"

namespace mallard::inline v1::detail {

constinit std::uint8_t state_of_new_blocks = live;
constinit std::uintptr_t link_secret = 0;
constinit std::uintptr_t canary_secret = 0;
constinit std::uintptr_t free_secret = 0;

namespace {

// The record of a region in which a huge block begins: where the block is, how many pages further
// the mapping ends, and whether the block was freed.
using huge_record = std::uintptr_t;
constexpr unsigned offset_bits = 22;
static_assert(std::size_t{1} << (granule_bits + offset_bits) == region_bytes);
constexpr huge_record gone_bit = huge_record{1} << offset_bits;
constexpr unsigned pages_shift = offset_bits + 1;

// Requires that there was a mapping here.
table_word& record_of(const void* p) noexcept {
  return huge_word(*page_of_address(address_of(p)), address_of(p));
}

huge_record make_record(const void* p, const region& r) noexcept {
  const std::uintptr_t end = address_of(&r) + r.huge_mapped - address_of(region::of(p));
  return address_of(p) % region_bytes >> granule_bits | std::uint64_t{end / os::page_bytes}
                                                            << pages_shift;
}

huge_state state_of_huge(const void* p) noexcept {
  if (page_of_address(address_of(p)) == nullptr) return huge_state::unknown;
  const huge_record record = record_of(p).load();
  const std::size_t offset = (record & (gone_bit - 1)) << granule_bits;
  const std::size_t at = address_of(p) % region_bytes;
  const bool is_gone = (record & gone_bit) != 0;
  if (record != 0 && at == offset) return is_gone ? huge_state::gone : huge_state::in_use;
  const bool is_around = at > offset && at < (record >> pages_shift) * os::page_bytes;
  return is_around && !is_gone ? huge_state::around : huge_state::unknown;
}

// A linear congruential generator (Knuth's MMIX): its high bits make an order that nobody knows
// beforehand, for one multiplication.
std::uint64_t next_random() noexcept {
  [[gnu::tls_model("initial-exec")]] static constinit thread_local std::uint64_t state = 0;
  if (state == 0) [[unlikely]] {
    state = os::random_bits();
  }
  state = state * 6364136223846793005 + 1442695040888963407;
  return state;
}

constinit bool ends_at_wrong_sizes = true;

// Since then a block may be larger than its owner knows.
constinit std::atomic<bool> some_kept_larger{false};

bool fits(std::size_t has, std::size_t said) noexcept {
  return said <= has && has - said < os::page_size();
}

}  // namespace

bool hardened_checks::admit(void* p) noexcept {
  if (p == nullptr) return false;
  // Guarded blocks report themselves, with the stacks.
  if (the_guarded.holds(p)) return true;
  if (state* const s = state_of(p);
      s != nullptr && s->load(std::memory_order_relaxed) == live_to_clear) {
    std::memset(p, 0, usable_bytes(p));
    s->store(freed, std::memory_order_relaxed);
    freed_as(p, mark_of(p), any_size());
    return true;
  }
  const huge_state huge = state_of_huge(p);
  if (huge != huge_state::in_use) report_misuse("free", p, huge);
  using_huge(p, *region::of_huge(p));
  remove_huge(p);
  return true;
}

void hardened_checks::refused(void* p, any_size) noexcept {
  if (admit(p)) deallocate_slow(p);
}

void hardened_checks::refused(void* p, said_size size) noexcept {
  if (!admit(p)) return;
  check_size(p, mark_of(p), size);
  deallocate_slow(p);
}

void hardened_checks::freed_oddly(void* p, std::uintptr_t size_class, any_size) noexcept {
  check_around(p, size_class);
  sign_free_block(p);
  deallocate_slow(p);
}

void hardened_checks::freed_oddly(void* p, std::uintptr_t size_class, said_size size) noexcept {
  check_size(p, slice_mark::of_any_slab(size_class), size);
  freed_oddly(p, size_class, any_size());
}

void hardened_checks::check_size(const void* p, slice_mark mark, said_size size) noexcept {
  const std::size_t said = std::max<std::size_t>(size.bytes, 1);
  const std::size_t block = request_with_canary(said, std::max(size.alignment, malloc_alignment));
  std::size_t has = 0;
  const slice_kind kind = mark.kind();
  if (mark.is_in_slab()) {
    const std::size_t size_class = mark.size_class();
    if (block - 1 < largest_extended_bytes && class_of(block) == size_class) return;
    has = class_bytes(static_cast<unsigned>(size_class)) - canary_bytes;
  } else if (kind == slice_kind::guarded) {
    has = the_guarded.bytes_of(p);
    if (has == said || has == block - canary_bytes) return;
  } else {
    has = mark.is_huge() ? huge_payload_bytes(p) : large_space::payload_bytes(const_cast<void*>(p));
    // A sample of the profile has what its class was asked for.
    if (fits(has, said) || fits(has, block - canary_bytes)) return;
  }
  if (size.bytes <= has && some_kept_larger.load(std::memory_order_relaxed)) return;
  warn_size("free of a block with a wrong size", p, has, size.bytes);
  if (ends_at_wrong_sizes) std::abort();
}

void hardened_checks::wrong_alignment(const void* p, std::size_t alignment) noexcept {
  error_text() << "mallard: free of a block with a wrong alignment: " << p << ", not " << alignment
               << "\n";
  if (ends_at_wrong_sizes) std::abort();
}

void hardened_checks::kept_larger() noexcept {
  some_kept_larger.store(true, std::memory_order_relaxed);
}

void hardened_checks::in_use_elsewhere(const void* p) noexcept {
  const huge_state huge = state_of_huge(p);
  if (huge != huge_state::in_use) report_misuse("use", p, huge);
  using_huge(p, *region::of_huge(p));
}

bool hardened_checks::set_wrong_sizes(const char* value) noexcept {
  const bool report = std::strcmp(value, "report") == 0;
  if (!report && std::strcmp(value, "abort") != 0) return false;
  ends_at_wrong_sizes = !report;
  return true;
}

// Blocks that are in use already stay as they are.
bool hardened_checks::set_zero_on_free(const char* value) noexcept {
  const bool on = std::strcmp(value, "on") == 0;
  if (!on && std::strcmp(value, "off") != 0) return false;
  state_of_new_blocks = on ? live_to_clear : live;
  return true;
}

void hardened_checks::overwritten_link(const void* block) noexcept {
  fatal("a block was written to after it was freed", block);
}

void hardened_checks::overwritten_header(const slab& s) noexcept {
  fatal("a block before this slab was written beyond its end", &s);
}

// There is room above the slabs' headers for the canary before their first block.
static_assert(std::all_of(class_layouts.begin(), class_layouts.end(), [](const slab_layout& l) {
  return l.block_bytes % malloc_alignment != 0 ||
         slab_header_bytes + (l.words + 1) * sizeof(std::uint64_t) <= l.first_slot * l.block_bytes;
}));

namespace {

bool is_in_use(std::uintptr_t address) noexcept {
  const hardened_checks::state* const s =
      hardened_checks::state_of(reinterpret_cast<const void*>(address));
  return s != nullptr && hardened_checks::is_live(s->load(std::memory_order_relaxed));
}

constexpr const char* overflow = "a block was written beyond its end";
constexpr const char* underflow = "the bytes before a block were overwritten";

}  // namespace

void hardened_checks::overwritten_around(const void* p, std::size_t bytes) noexcept {
  fatal(is_right_below(address_of(p) + bytes) ? underflow : overflow, p);
}

void hardened_checks::write_canaries(const void* p, std::size_t bytes) noexcept {
  const std::uintptr_t begin = address_of(p);
  const std::uintptr_t end = begin + bytes;
  if (!is_right_below(begin)) {
    if (is_in_use(begin - bytes)) fatal(overflow, static_cast<const std::byte*>(p) - bytes);
    write_canary_below(begin);
  }
  if (!is_right_below(end)) {
    if (is_in_use(end) && !was_given_back(end)) {
      fatal(underflow, static_cast<const std::byte*>(p) + bytes);
    }
    write_canary_below(end);
  }
}

void hardened_checks::written_when_free(const void* p) noexcept {
  fatal("a block was written to after it was freed", p);
}

void hardened_checks::refilled(void** first, void** last, unsigned size_class) noexcept {
  std::uintptr_t part = ~std::uintptr_t{0};
  std::uintptr_t states = 0;
  for (void** at = first; at != last; ++at) {
    const std::uintptr_t address = address_of(*at);
    if (address >> part_bits != part) [[unlikely]] {
      part = address >> part_bits;
      states = states_word(*page_of_address(address), address).load();
    }
    const auto* const s = reinterpret_cast<const state*>(states + (address >> granule_bits));
    if (is_live(s->load(std::memory_order_relaxed))) {
      fatal("the bitmap of a slab was overwritten: it has as free the block in use", *at);
    }
    left_slab(*at, size_class);
    sign_free_block(*at);
    // Swaps it with one of the places up to this one, each with the same chance (Fisher and Yates).
    const auto places = static_cast<std::uint64_t>(at - first) + 1;
    std::swap(*at, first[(next_random() >> 32) * places >> 32]);
  }
  clear_signature(last[-1]);
}

void hardened_checks::forget_blocks(const void* p, std::size_t bytes) noexcept {
  for (std::uintptr_t at = address_of(p); at < address_of(p) + bytes; at += part_bytes) {
    std::memset(static_cast<void*>(&known_state_of(at)), freed,
                std::min(bytes, part_bytes) >> granule_bits);
  }
}

void hardened_checks::using_slab(const slab& s, const slab_set* owner,
                                 unsigned size_class) noexcept {
  const slab_layout& layout = class_layouts[size_class];
  const bool is_sound = s.owner.load(std::memory_order_relaxed) == owner &&
                        s.layout_index == size_class && s.carved_slots <= layout.capacity() &&
                        s.taken() <= s.carved_slots && s.carved_words <= layout.words &&
                        s.next_word <= s.carved_words && s.place <= slab_place::reserve;
  if (!is_sound) overwritten_header(s);
}

// All must be readable, since anybody may ask for any address; the usable parts must be writable.
bool hardened_checks::add_region(region& r, std::size_t end) noexcept {
  for (std::uintptr_t* const secret : {&link_secret, &canary_secret, &free_secret}) {
    if (*secret == 0) *secret = os::random_bits();
  }
  if (!extend_region(r, 0, end)) {
    remove_region(r);
    return false;
  }
  return true;
}

namespace {

// Calls `visit(pages, bytes)` for the states of a part at a time, until that returns false. Of the
// pages with the first state and behind the last, the first is left out.
template <class Visit>
bool visit_states(std::uintptr_t begin, std::uintptr_t end, Visit&& visit) noexcept {
  const std::size_t page = os::page_size();
  for (std::uintptr_t at = begin; at < end;) {
    const std::uintptr_t stop = std::min(round_down(at, part_bytes) + part_bytes, end);
    const std::uintptr_t first = round_up(at >> granule_bits, page);
    const std::uintptr_t last = round_up(stop >> granule_bits, page);
    const std::uintptr_t states = states_word(*page_of_address(at), at).load();
    if (first != last && !visit(reinterpret_cast<void*>(states + first), last - first)) {
      return false;
    }
    at = stop;
  }
  return true;
}

}  // namespace

// All of the page in which the last step ended is usable.
bool hardened_checks::extend_region(region& r, std::size_t begin, std::size_t end) noexcept {
  const std::uintptr_t start = address_of(&r);
  return make_states(start, start + r.reserved_slices * slice_bytes) &&
         visit_states(start + begin, start + end, os::commit);
}

// From now on nothing is known of what was free there.
void hardened_checks::purged(const void* p, std::size_t bytes) noexcept {
  const std::size_t step = os::page_size() << granule_bits;
  const std::uintptr_t begin = round_up(address_of(p), step);
  visit_states(begin, round_down(address_of(p) + bytes, step), [](void* states, std::size_t n) {
    os::purge(states, n);
    return true;
  });
}

void hardened_checks::remove_region(region& r) noexcept {
  // Also removes those of addresses that the region had once.
  remove_states(address_of(&r), address_of(&r) + region_bytes);
}

void hardened_checks::add_huge(const void* p, const region& r) noexcept {
  record_of(p).store(make_record(p, r));
}

void hardened_checks::using_huge(const void* p, const region& r) noexcept {
  if (record_of(p).load() != make_record(p, r) || !mark_of(p).is_huge()) {
    fatal("the header before a large block was overwritten", p);
  }
}

// A signal handler that ends the process may find a block that was about to leave its heap.
bool hardened_checks::remove_huge_of_heap(const void* p) noexcept {
  return (record_of(p).set_bits(gone_bit) & gone_bit) == 0;
}

// One of two threads that free the same block comes too late.
void hardened_checks::remove_huge(const void* p) noexcept {
  if (!remove_huge_of_heap(p)) report_misuse("free", p, huge_state::gone);
}

}  // namespace mallard::inline v1::detail
