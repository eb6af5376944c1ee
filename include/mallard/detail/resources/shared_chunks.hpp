// Purpose: the page source's shared level: small chunks out of superblocks, large ones cached
// whole.
//
// A superblock is a slab whose slots are chunks: the slab engine serves them with the size-class
// table scaled up, so 16 bytes there are a page here. Thread-safe, one lock.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <mutex>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/chunk_cache.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/core/slab_set.hpp"

namespace mallard::inline v1::detail {

inline constexpr std::size_t superblock_bytes = std::size_t{2} << 20;
inline constexpr std::size_t chunk_scale = 256;  // a page over the smallest size class
inline constexpr std::size_t largest_small_chunk_bytes = std::size_t{256} << 10;
inline constexpr unsigned chunk_class_count = class_of(largest_small_chunk_bytes / chunk_scale) + 1;

constexpr std::size_t chunk_class_bytes(unsigned chunk_class) noexcept {
  return class_bytes(chunk_class) * chunk_scale;
}

inline constexpr auto chunk_layouts = [] {
  std::array<slab_layout, chunk_class_count> table{};
  for (unsigned c = 0; c < chunk_class_count; ++c) {
    table[c] = make_layout(chunk_class_bytes(c), superblock_bytes);
  }
  return table;
}();

// `request` is what `class_request` makes of a chunk request with at least page alignment.
constexpr bool is_small_chunk(std::size_t request) noexcept {
  return request - 1 < largest_small_chunk_bytes;
}
constexpr unsigned chunk_class_of(std::size_t request) noexcept {
  return class_of(request / chunk_scale);
}

// Superblocks come from the chunk cache, already under the lock.
class superblock_upstream final : public std::pmr::memory_resource {
 public:
  constexpr explicit superblock_upstream(chunk_cache& cache) noexcept : cache_(cache) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  chunk_cache& cache_;
};

class MALLARD_API shared_chunks {
 public:
  constexpr explicit shared_chunks(os::page_calls calls = {}) noexcept
      : cache_(calls), upstream_(cache_), superblocks_(chunk_layouts.data(), &upstream_, 0) {}

  // Fills `out` with up to `count` chunks; returns how many, at least one. Throws std::bad_alloc.
  unsigned take_small(unsigned chunk_class, void** out, unsigned count);
  void give_small(unsigned chunk_class, void* const* chunks, unsigned count) noexcept;

  void* take_large(std::size_t bytes, std::size_t alignment) noexcept;
  void give_large(void* p, std::size_t bytes, std::size_t alignment) noexcept;

  void set_limit(std::size_t bytes) noexcept;
  std::size_t trim() noexcept;

  struct usage_type {
    chunk_cache_usage os;
    std::size_t free_in_superblocks = 0;
  };
  usage_type usage() noexcept;

  // Held across fork, so that the child finds the state whole.
  std::mutex& lock() noexcept { return lock_; }

 private:
  void set_start_limit() noexcept;

  std::mutex lock_;
  chunk_cache cache_;
  superblock_upstream upstream_;
  resource_slab_set superblocks_;
  std::array<slab_pool, chunk_class_count> pools_{};
  bool limit_set_ = false;
};

// Registers the handlers that take the lock of the page source's chunks before a fork.
MALLARD_API void hold_chunks_across_fork() noexcept;

}  // namespace mallard::inline v1::detail
