// Purpose: chunks from the operating system, kept warm between uses within a limit, and decaying.
//
// Not thread-safe. All operations are O(1) beside the system calls they make.
#pragma once

#include <array>
#include <cstddef>

#include "mallard/detail/config.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

// Memory that fills from end to end gets huge pages; memory of which only parts may ever be
// touched, such as a superblock that is split into many owners' chunks, gets small ones.
enum class chunk_kind { dense, sparse };

struct chunk_cache_usage {
  std::size_t mapped_bytes = 0;
  std::size_t cached_bytes = 0;
  std::size_t maps = 0;
  std::size_t unmaps = 0;
};

class MALLARD_API chunk_cache {
 public:
  // What was not needed during one interval is surplus; half of it goes back at its end.
  static constexpr unsigned long long decay_interval_ms = 1000;
  static constexpr std::size_t smallest_chunk_bytes = 256 * 1024;
  static constexpr std::size_t largest_binned_bytes = 64 * 1024 * 1024;

  constexpr explicit chunk_cache(os::page_calls calls = {}) noexcept : os_(calls) {}
  chunk_cache(const chunk_cache&) = delete;
  chunk_cache& operator=(const chunk_cache&) = delete;

  // What a request of `bytes` really takes: steps of an eighth of a power of two up to
  // `largest_binned_bytes`, whole pages above; 0 when it does not fit.
  static std::size_t chunk_bytes(std::size_t bytes) noexcept;

  // Aligned to a page, from 2 MiB on to a huge page, or to `alignment` if that is more. Null when
  // the system refuses even after the cache has been given back.
  void* allocate(std::size_t bytes, std::size_t alignment, chunk_kind kind) noexcept;
  void deallocate(void* p, std::size_t bytes, std::size_t alignment, chunk_kind kind) noexcept;

  // 0: nothing is cached. Gives back what is over the new limit.
  void set_limit(std::size_t bytes) noexcept;
  std::size_t trim() noexcept { return shrink_to(0); }
  chunk_cache_usage usage() const noexcept { return usage_; }

 private:
  // Lives in the first bytes of a cached chunk, whose pages are warm anyway.
  struct node {
    node* bin_next;
    node* bin_prev;
    node* newer;
    node* older;
    std::size_t bytes;
    std::size_t bin;
  };
  static constexpr std::size_t steps_per_doubling = 8;
  static constexpr std::size_t binned = 9 * steps_per_doubling;  // up to 64 MiB
  static constexpr std::size_t giant_bin = binned + 1;
  static constexpr std::size_t sparse_bin = binned + 2;
  static constexpr std::size_t bin_count = binned + 3;

  static std::size_t bin_of(std::size_t chunk_bytes, chunk_kind kind) noexcept;
  void* take(std::size_t bin, std::size_t bytes) noexcept;
  void unlink(node* n) noexcept;
  std::size_t shrink_to(std::size_t bytes) noexcept;
  void unmap(void* p, std::size_t bytes) noexcept;
  void decay() noexcept;

  os::page_calls os_;
  chunk_cache_usage usage_{};
  std::size_t limit_ = ~std::size_t{0};
  std::size_t low_water_ = 0;
  unsigned long long interval_start_ = 0;
  node* by_age_ = nullptr;  // the oldest; its `older` is the newest
  std::array<node*, bin_count> bins_{};
};

}  // namespace mallard::inline v1::detail
