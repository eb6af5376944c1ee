#include "mallard/adaptive_pool.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "mallard/detail/resources/chains.hpp"

namespace mallard::inline v1 {

namespace {

// Of more than the largest block, some other size that is too large.
std::size_t block_bytes_for(std::size_t bytes, std::size_t alignment) noexcept {
  bytes = std::min(bytes, detail::largest_class_bytes + 1);
  return detail::round_up(std::max(bytes + detail::redzone_bytes, detail::smallest_class_bytes),
                          std::max<std::size_t>(alignment, 8));
}

// The smallest slab that holds enough blocks with little enough beside them.
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

}  // namespace

void adaptive_pool_resource::choose_layout(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment == 0) alignment = alignof(std::max_align_t);
  MALLARD_ASSERT(std::has_single_bit(alignment));
  const std::size_t block = block_bytes_for(bytes, alignment);
  if (block - 1 >= detail::largest_class_bytes) return;  // every request goes to upstream
  pooled_bytes_ = block - detail::redzone_bytes;
  alignment_ = alignment;
  const detail::slab_layout& of_class = detail::class_layouts[detail::class_of(block)];
  layout_ = detail::make_layout(block, slab_bytes_for(block, options_));
  // The layout of a size class brings its patterns along.
  if (of_class.block_bytes == block && of_class.slab_bytes == layout_.slab_bytes) {
    layout_ = of_class;
  }
  step_ = layout_.step();
}

// From here on the layout's blocks are taken and given back without a further look.
void adaptive_pool_resource::fix_block() noexcept {
  fixed_ = true;
  pooled_alignment_ = alignment_;
}

// While the block size is open: whether the request takes a block, after what it says about the
// size. The layout that is tried has one block at most.
bool adaptive_pool_resource::choose_block(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > largest_pooled_bytes || alignment > largest_pooled_bytes) return false;
  const std::size_t block = block_bytes_for(bytes, alignment);
  const bool tried = pooled_bytes_ != 0;
  if (!tried || block - detail::redzone_bytes <= pooled_bytes_ / 2) {
    if (tried) leave_layout();
    choose_layout(bytes, alignment);
    return pooled_bytes_ != 0;
  }
  if (bytes > pooled_bytes_ || alignment > alignment_) return false;
  fix_block();
  return true;
}

// The block in use, if there is one, stays where it is until it is given back.
void adaptive_pool_resource::leave_layout() noexcept {
  slabs_.trim_pool(pool_, 0);
  slabs_.trim_reserve();
  if (pool_.base != nullptr) {
    void* const block = pool_.current(layout_)->slot(layout_, layout_.first_slot);
    const std::size_t bytes = layout_.slab_bytes;
    formers_ = ::new (slabs_.detach_current(pool_, 0)) former_slab{formers_, block, bytes};
  }
  pooled_bytes_ = alignment_ = 0;
}

void adaptive_pool_resource::deallocate_oversize(void* p) noexcept {
  if (!fixed_ && pool_.base != nullptr &&
      detail::aligned_start<detail::slab>(p, layout_.slab_bytes) == pool_.current(layout_)) {
    detail::poison(p, layout_.block_bytes);
    return detail::slab_set::give(pool_, layout_, step_, p);
  }
  for (former_slab** link = &formers_; *link != nullptr; link = &(*link)->next) {
    former_slab* const former = *link;
    if (former->block != p) continue;
    *link = former->next;
    const std::size_t bytes = former->bytes;
    detail::unpoison(former, bytes);
    return upstream_resource()->deallocate(former, bytes, bytes);
  }
  oversize_.deallocate(*upstream_resource(), p);
}

void adaptive_pool_resource::drop_formers() noexcept {
  while (formers_ != nullptr) deallocate_oversize(formers_->block);
}

void* adaptive_pool_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  return allocate(bytes, alignment);
}

void adaptive_pool_resource::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  deallocate(p, bytes, alignment);
}

void* adaptive_pool_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  try {
    return allocate(bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}

void* adaptive_pool_resource::allocate_oversize(std::size_t bytes, std::size_t alignment) {
  if (!fixed_ && choose_block(bytes, alignment)) {
    if (pool_.free_slots == 0) slabs_.refill(pool_, 0);
    void* const p = detail::take_slot(pool_, step_.block_bytes);
    detail::hand_out(p, bytes);
    return p;
  }
  return oversize_.allocate(*upstream_resource(), bytes, alignment);
}

void adaptive_pool_resource::allocate_many(void** blocks, std::size_t count, std::size_t bytes,
                                           std::size_t alignment) {
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

detail::chain_ends adaptive_pool_resource::allocate_linked(std::size_t count, std::size_t bytes,
                                                           std::size_t alignment) {
  // Bursts are of nodes.
  if (!fixed_ && choose_block(bytes, alignment)) fix_block();
  if (is_pooled(bytes, alignment)) return slabs_.take_many(pool_, 0, count, bytes);
  return detail::allocate_equal(*this, count, bytes, alignment);
}

void adaptive_pool_resource::deallocate_linked(void* first, std::size_t count, std::size_t bytes,
                                               std::size_t alignment) noexcept {
  if (is_pooled(bytes, alignment)) return slabs_.give_many(pool_, 0, first, count);
  for (; count != 0; --count) {
    deallocate(std::exchange(first, block_chain::next(first)), bytes, alignment);
  }
}

void adaptive_pool_resource::release() noexcept {
  pool_ = {};
  slabs_.release(upstream_ignores_);
  if (upstream_ignores_) {
    oversize_.forget();
    formers_ = nullptr;
  } else {
    oversize_.release(*upstream_resource());
    drop_formers();
  }
  if (options_.block_bytes != 0) return;
  fixed_ = false;
  pooled_bytes_ = pooled_alignment_ = alignment_ = 0;
}

std::size_t adaptive_pool_resource::trim() noexcept {
  const std::size_t before = slabs_.usage().reserved_bytes;
  slabs_.trim_pool(pool_, 0);
  slabs_.trim_reserve();
  return before - slabs_.usage().reserved_bytes;
}

adaptive_pool_stats adaptive_pool_resource::stats() const noexcept {
  const detail::slab_usage usage = slabs_.usage();
  const auto at_hand = static_cast<std::size_t>(std::popcount(pool_.free_slots));
  const std::size_t taken = layout_.block_bytes == 0 ? 0 : usage.taken_bytes / layout_.block_bytes;
  std::size_t formers = 0;
  std::size_t former_bytes = 0;
  for (const former_slab* former = formers_; former != nullptr; former = former->next) {
    ++formers;
    former_bytes += former->bytes;
  }
  return {.block_bytes = layout_.block_bytes == 0 ? 0 : layout_.block_bytes - detail::redzone_bytes,
          .in_use_blocks = taken - at_hand,
          .reserved_bytes = usage.reserved_bytes + oversize_.reserved_bytes() + former_bytes,
          .slabs = usage.slabs,
          .empty_slabs = usage.empty_slabs,
          .oversize_blocks = oversize_.blocks() + formers};
}

}  // namespace mallard::inline v1
