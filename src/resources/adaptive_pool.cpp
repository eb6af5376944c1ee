#include "mallard/adaptive_pool.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/or_with_room.hpp"
#include "mallard/detail/failure.hpp"
#include "mallard/detail/resources/chains.hpp"
#include "mallard/multipool.hpp"

namespace mallard::inline v1 {

namespace {

// All sizes above the largest block are alike: too large.
std::size_t block_bytes_for(std::size_t bytes, std::size_t alignment) noexcept {
  bytes = std::min(bytes, detail::largest_class_bytes + 1);
  return detail::round_up(std::max(bytes + detail::redzone_bytes, detail::smallest_class_bytes),
                          std::max<std::size_t>(alignment, 8));
}

// The smallest slab with enough blocks and little enough overhead.
std::size_t slab_bytes_for(std::size_t block, const adaptive_pool_options& options) noexcept {
  constexpr std::size_t largest = std::size_t{256} << 10;
  std::size_t bytes = detail::slab_bytes_for(block);
  for (; bytes < largest && detail::is_possible_slab(block, bytes * 2); bytes *= 2) {
    const detail::slab_layout layout = detail::make_layout(block, bytes);
    const std::size_t beside = bytes - layout.capacity() * block;
    if (layout.capacity() >= options.blocks_per_slab &&
        (options.overhead_percent == 0 || beside * 100 <= options.overhead_percent * bytes)) {
      break;
    }
  }
  return bytes;
}

// Sets a flag until the scope ends.
class set_within {
 public:
  explicit set_within(bool& flag) noexcept : flag_(flag), before_(std::exchange(flag, true)) {}
  set_within(const set_within&) = delete;
  set_within& operator=(const set_within&) = delete;
  ~set_within() { flag_ = before_; }

 private:
  bool& flag_;
  const bool before_;
};

}  // namespace

void adaptive_pool_resource::choose_layout(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment == 0) alignment = alignof(std::max_align_t);
  MALLARD_ASSERT(detail::is_power_of_two(alignment));
  const std::size_t block = block_bytes_for(bytes, alignment);
  if (block - 1 >= detail::largest_class_bytes) return;  // every request is of another size
  usual_bytes_ = bytes;
  largest_bytes_ = block - detail::redzone_bytes;
  alignment_ = alignment;
  const detail::slab_layout& of_class = detail::class_layouts[detail::class_of(block)];
  layout_ = detail::make_layout(block, slab_bytes_for(block, options_));
  // The layout of a size class has patterns.
  if (of_class.block_bytes == block && of_class.slab_bytes == layout_.slab_bytes) {
    layout_ = of_class;
  }
  step_ = layout_.step();
}

void adaptive_pool_resource::forget_layout() noexcept {
  layout_ = {};
  usual_bytes_ = usual_alignment_ = largest_bytes_ = alignment_ = 0;
}

// From here on the layout's blocks are taken and given back without further checks.
void adaptive_pool_resource::fix_block() noexcept {
  fixed_ = true;
  usual_alignment_ = alignment_;
}

// Whether a block has room for the request, and one of half the size would not.
bool adaptive_pool_resource::fits_block(std::size_t bytes, std::size_t alignment) const noexcept {
  return bytes <= largest_bytes_ && alignment <= alignment_ &&
         block_bytes_for(bytes, alignment) * 2 > layout_.block_bytes;
}

// While the block size is open: adapts it to the request, and returns whether that takes a block.
// The layout on trial has at most one block. Upstream may call back with a smaller request while it
// is asked for that block's slab: the layout is fixed then, for a block that another layout would
// take must not be one of the multipool.
bool adaptive_pool_resource::choose_block(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > largest_pooled_bytes || alignment > largest_pooled_bytes) return false;
  const bool tried = largest_bytes_ != 0;
  if (!tried || block_bytes_for(bytes, alignment) * 2 <= layout_.block_bytes) {
    if (tried) {
      if (growing_) fix_block();
      if (fixed_ || !leave_layout()) return takes_block(bytes, alignment);
    }
    choose_layout(bytes, alignment);
    return largest_bytes_ != 0;
  }
  return fits_block(bytes, alignment);
}

// A block in use stays where it is until it is given back. False if upstream called back while it
// took slabs back, and so fixed the layout.
bool adaptive_pool_resource::leave_layout() noexcept {
  {
    const set_within growing(growing_);
    slabs_.trim_pool(pool_, 0);
    slabs_.trim_reserve();
  }
  if (fixed_) return false;
  if (pool_.base != nullptr) {
    void* const block = pool_.current(layout_)->slot(layout_, layout_.first_slot);
    const std::size_t bytes = layout_.slab_bytes;
    formers_ = ::new (slabs_.detach_current(pool_, 0)) former_slab{formers_, block, bytes};
  }
  forget_layout();
  return true;
}

// Whether the block was that of a former layout.
bool adaptive_pool_resource::give_former(void* p) noexcept {
  for (former_slab** link = &formers_; *link != nullptr; link = &(*link)->next) {
    former_slab* const former = *link;
    if (former->block != p) continue;
    *link = former->next;
    const std::size_t bytes = former->bytes;
    detail::unpoison(former, bytes);
    upstream_resource()->deallocate(former, bytes, bytes);
    return true;
  }
  return false;
}

void adaptive_pool_resource::drop_formers() noexcept {
  while (formers_ != nullptr) give_former(formers_->block);
}

// For another attempt: what the blocks of one size do not use serves the others.
bool adaptive_pool_resource::make_room() noexcept {
  return !slabs_.keeps_every_slab() && trim() != 0;
}

// A refused request leaves no layout behind, unless the pool has other blocks in use: these must
// not fit the next layout, whose blocks are given back without a look at where they are.
template <class Take>
auto adaptive_pool_resource::take_from_slabs(Take take) {
  const bool is_outermost = !growing_;
  const set_within growing(growing_);
  detail::on_failure undo([&] {
    const bool has_others = formers_ != nullptr || others_in_use_ != 0;
    if (is_outermost && !fixed_ && !has_others && slabs_.has_no_slabs()) forget_layout();
  });
  const auto taken = detail::or_with_room([&] { return make_room(); }, take);
  undo.succeeded();
  return taken;
}

void adaptive_pool_resource::grow() {
  take_from_slabs(
      [&] { return pool_.base == nullptr ? slabs_.grow(pool_, 0) : slabs_.refill(pool_, 0); });
}

void* adaptive_pool_resource::take(std::size_t bytes) {
  if (pool_.free_slots == 0 && !slabs_.advance(pool_, 0)) grow();
  void* const p = detail::take_slot(pool_, step_.block_bytes);
  detail::hand_out(p, bytes);
  return p;
}

void* adaptive_pool_resource::allocate_unusual(std::size_t bytes, std::size_t alignment) {
  if (!fixed_) [[unlikely]] {
    return allocate_while_open(bytes, alignment);
  }
  if (fits_block(bytes, alignment)) return take(bytes);
  return allocate_other(bytes, alignment);
}

void* adaptive_pool_resource::allocate_while_open(std::size_t bytes, std::size_t alignment) {
  const bool is_tried = largest_bytes_ != 0;
  const std::size_t tried_bytes = usual_bytes_;
  if (!choose_block(bytes, alignment)) return allocate_other(bytes, alignment);
  void* const p = take(bytes);
  if (is_tried && usual_bytes_ == tried_bytes) fix_block();
  return p;
}

void* adaptive_pool_resource::allocate_other(std::size_t bytes, std::size_t alignment) {
  return detail::or_with_room_inlined([&] { return make_room(); },
                                      [&] {
                                        if (others_ == nullptr) [[unlikely]] {
                                          return take_first_other(bytes, alignment);
                                        }
                                        return take_other(bytes, alignment);
                                      });
}

// Upstream may call back, and be refused: the multipool stays while it is called.
MALLARD_ALWAYS_INLINE void* adaptive_pool_resource::take_other(std::size_t bytes,
                                                               std::size_t alignment) {
  ++others_in_use_;
  detail::on_failure give_up([&] { --others_in_use_; });
  void* const p = others_->allocate(bytes, alignment);
  give_up.succeeded();
  return p;
}

// Without memory, the pool is left without a multipool, as it was, unless upstream would not take
// that back. Upstream may call back and make one meanwhile.
void* adaptive_pool_resource::take_first_other(std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t others_bytes = sizeof(multipool_resource);
  void* const memory = upstream_resource()->allocate(others_bytes, alignof(multipool_resource));
  if (others_ == nullptr) {
    others_ =
        ::new (memory) multipool_resource({.empty_slabs_kept = options_.empty_slabs_kept},
                                          upstream_ref(*upstream_resource(), !upstream_ignores_));
  } else {
    ++others_in_use_;  // it stays while upstream, which may call back, takes the memory back
    upstream_resource()->deallocate(memory, others_bytes, alignof(multipool_resource));
    --others_in_use_;
  }
  detail::on_failure drop([&] {
    if (others_in_use_ == 0 && !slabs_.keeps_every_slab()) drop_others();
  });
  void* const p = take_other(bytes, alignment);
  drop.succeeded();
  return p;
}

// Memory that upstream does not take back may be gone already, so only a sanitizer's marks are
// removed.
void adaptive_pool_resource::drop_others() noexcept {
  others_in_use_ = 0;
  multipool_resource* const others = std::exchange(others_, nullptr);
  if (others == nullptr) return;
#ifndef MALLARD_MARKS_MEMORY
  if (upstream_ignores_) return;
#endif
  others->~multipool_resource();
  upstream_resource()->deallocate(others, sizeof(multipool_resource), alignof(multipool_resource));
}

void adaptive_pool_resource::deallocate_unusual(void* p, std::size_t bytes,
                                                std::size_t alignment) noexcept {
  if (!fixed_ || formers_ != nullptr) [[unlikely]] {
    return deallocate_while_open(p, bytes, alignment);
  }
  if (fits_block(bytes, alignment)) return give(p);
  give_other(p, bytes, alignment);
}

// Also used later, while there are blocks of former layouts.
void adaptive_pool_resource::deallocate_while_open(void* p, std::size_t bytes,
                                                   std::size_t alignment) noexcept {
  if (fixed_ ? fits_block(bytes, alignment) : slabs_.owns(p)) return give(p);
  if (!give_former(p)) give_other(p, bytes, alignment);
}

void adaptive_pool_resource::give_other(void* p, std::size_t bytes,
                                        std::size_t alignment) noexcept {
  MALLARD_ASSERT(others_in_use_ != 0 && "a block of another resource, or of another size");
  others_->deallocate(p, bytes, alignment);
  --others_in_use_;
}

void adaptive_pool_resource::allocate_many(void** blocks, std::size_t count, std::size_t bytes,
                                           std::size_t alignment) {
  detail::check_burst(count, bytes, alignment);
  std::size_t done = 0;
  try {
    for (; done < count; ++done) blocks[done] = allocate(bytes, alignment);
  } catch (...) {
    deallocate_many(blocks, done, bytes, alignment);
    throw;
  }
}

void adaptive_pool_resource::deallocate_many(void* const* blocks, std::size_t count,
                                             std::size_t bytes, std::size_t alignment) noexcept {
  for (std::size_t i = 0; i < count; ++i) deallocate(blocks[i], bytes, alignment);
}

void* adaptive_pool_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return allocate(bytes, alignment);
}

void adaptive_pool_resource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  deallocate(p, bytes, alignment);
}

block_chain adaptive_pool_resource::allocate_sizes(const std::size_t* sizes, std::size_t count,
                                                   std::size_t alignment) {
  return detail::allocate_each(*this, sizes, count, alignment);
}

detail::chain_ends adaptive_pool_resource::allocate_linked(std::size_t count, std::size_t bytes,
                                                           std::size_t alignment) {
  detail::check_burst(count, bytes, alignment);
  const bool takes =
      fixed_ || count == 0 ? takes_block(bytes, alignment) : choose_block(bytes, alignment);
  if (!takes) return detail::allocate_equal(*this, count, bytes, alignment);
  const detail::chain_ends chain =
      take_from_slabs([&] { return slabs_.take_many(pool_, 0, count, bytes); });
  // A burst is of nodes, so it decides the block size.
  if (!fixed_) fix_block();
  return chain;
}

void adaptive_pool_resource::deallocate_linked(void* first, std::size_t count, std::size_t bytes,
                                               std::size_t alignment) noexcept {
  if (takes_block(bytes, alignment)) return slabs_.give_many(pool_, 0, first, count);
  for (; count != 0; --count) {
    deallocate(std::exchange(first, block_chain::next(first)), bytes, alignment);
  }
}

void adaptive_pool_resource::release() noexcept {
  pool_ = {};
  slabs_.release(upstream_ignores_);
  drop_others();
  if (upstream_ignores_) {
    formers_ = nullptr;
  } else {
    drop_formers();
  }
  if (options_.block_bytes != 0) return;
  fixed_ = false;
  forget_layout();
}

bool adaptive_pool_resource::owns(const void* p) const noexcept {
  for (const former_slab* former = formers_; former != nullptr; former = former->next) {
    if (detail::address_of(p) - detail::address_of(former) < former->bytes) return true;
  }
  return slabs_.owns(p) || (others_ != nullptr && others_->owns(p));
}

std::size_t adaptive_pool_resource::trim() noexcept {
  const std::size_t before = stats().reserved_bytes;
  slabs_.trim_pool(pool_, 0);
  slabs_.trim_reserve();
  if (others_in_use_ != 0) {
    ++others_in_use_;  // upstream may call back: the multipool stays meanwhile
    others_->trim();
    --others_in_use_;
  }
  if (others_in_use_ == 0) drop_others();
  return before - detail::smaller(before, stats().reserved_bytes);
}

adaptive_pool_stats adaptive_pool_resource::stats() const noexcept {
  const detail::slab_usage usage = slabs_.usage();
  const auto at_hand = static_cast<std::size_t>(std::popcount(pool_.free_slots));
  const std::size_t taken = layout_.block_bytes == 0 ? 0 : usage.taken_bytes / layout_.block_bytes;
  const std::size_t other_bytes =
      others_ == nullptr ? 0 : sizeof(multipool_resource) + others_->stats().reserved_bytes;
  std::size_t formers = 0;
  std::size_t former_bytes = 0;
  for (const former_slab* former = formers_; former != nullptr; former = former->next) {
    ++formers;
    former_bytes += former->bytes;
  }
  return {.block_bytes = layout_.block_bytes == 0 ? 0 : layout_.block_bytes - detail::redzone_bytes,
          .in_use_blocks = taken - at_hand,
          .reserved_bytes = usage.reserved_bytes + other_bytes + former_bytes,
          .slabs = usage.slabs,
          .empty_slabs = usage.empty_slabs,
          .oversize_blocks = others_in_use_ + formers};
}

}  // namespace mallard::inline v1
