#include "mallard/detail/resources/shared_chunks.hpp"

#include <bit>
#include <new>

namespace mallard::inline v1::detail {

void* superblock_upstream::do_allocate(std::size_t bytes, std::size_t alignment) {
  void* const p = cache_.allocate(bytes, alignment, chunk_kind::sparse);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void superblock_upstream::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  cache_.deallocate(p, bytes, alignment, chunk_kind::sparse);
}

unsigned shared_chunks::take_small(unsigned chunk_class, void** out, unsigned count) {
  const std::lock_guard hold(lock_);
  slab_pool& pool = pools_[chunk_class];
  if (pool.free_slots == 0) superblocks_.refill(pool, chunk_class);
  unsigned taken = 0;
  while (taken < count && pool.free_slots != 0) {
    out[taken++] = take_slot(pool, chunk_class_bytes(chunk_class));
  }
  return taken;
}

void shared_chunks::give_small(unsigned chunk_class, void* const* chunks, unsigned count) noexcept {
  const std::lock_guard hold(lock_);
  set_start_limit();
  for (unsigned i = 0; i < count; ++i) {
    superblocks_.give(pools_[chunk_class], chunk_class, chunk_layouts[chunk_class],
                      chunk_layouts[chunk_class].step(), chunks[i]);
  }
}

void* shared_chunks::take_large(std::size_t bytes, std::size_t alignment) noexcept {
  const std::lock_guard hold(lock_);
  return cache_.allocate(bytes, alignment, chunk_kind::dense);
}

void shared_chunks::give_large(void* p, std::size_t bytes, std::size_t alignment) noexcept {
  const std::lock_guard hold(lock_);
  set_start_limit();
  cache_.deallocate(p, bytes, alignment, chunk_kind::dense);
}

void shared_chunks::set_start_limit() noexcept {
  if (limit_set_) return;
  limit_set_ = true;
  cache_.set_limit(os::physical_memory_bytes() / 8);
}

void shared_chunks::set_limit(std::size_t bytes) noexcept {
  const std::lock_guard hold(lock_);
  limit_set_ = true;
  cache_.set_limit(bytes);
}

std::size_t shared_chunks::trim() noexcept {
  const std::lock_guard hold(lock_);
  for (unsigned c = 0; c < chunk_class_count; ++c) {
    superblocks_.trim_pool(pools_[c], c);
  }
  return cache_.trim();
}

shared_chunks::usage_type shared_chunks::usage() noexcept {
  const std::lock_guard hold(lock_);
  const slab_usage slabs = superblocks_.usage();
  usage_type out{cache_.usage(), slabs.reserved_bytes - slabs.taken_bytes};
  for (unsigned c = 0; c < chunk_class_count; ++c) {
    out.free_in_superblocks +=
        static_cast<std::size_t>(std::popcount(pools_[c].free_slots)) * chunk_class_bytes(c);
  }
  return out;
}

}  // namespace mallard::inline v1::detail
