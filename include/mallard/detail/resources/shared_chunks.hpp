// Purpose: the page source's shared level: small chunks are runs of slices of regions, large ones
// mappings that are kept for reuse. Thread-safe; no lock is held during a system call.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>

#include "mallard/detail/config.hpp"
#include "mallard/detail/pages/kept_mappings.hpp"
#include "mallard/detail/pages/slice_supply.hpp"
#include "mallard/detail/resources/chunk_parts.hpp"

namespace mallard::inline v1::detail {

inline constexpr std::size_t largest_small_chunk_bytes = std::size_t{256} << 10;

// Powers of two, aligned to their size. The part of a chunk beyond what was asked for is addresses:
// it gets memory when somebody touches it.
constexpr std::size_t chunk_class_bytes(unsigned chunk_class) noexcept {
  return chunk_class < part_class_count ? part_bytes(chunk_class)
                                        : slice_bytes << (chunk_class - part_class_count);
}
// `request` is `class_request` of a chunk request of at least page alignment, or a part's size.
constexpr bool is_small_chunk(std::size_t request) noexcept {
  return request - 1 < largest_small_chunk_bytes;
}
constexpr unsigned chunk_class_of(std::size_t request) noexcept {
  return request <= part_bytes(part_class_count - 1)
             ? static_cast<unsigned>(std::bit_width((request - 1) / smallest_part_bytes))
             : static_cast<unsigned>(std::bit_width((request - 1) / slice_bytes)) +
                   part_class_count;
}
inline constexpr unsigned chunk_class_count = chunk_class_of(largest_small_chunk_bytes) + 1;

class MALLARD_API shared_chunks {
 public:
  constexpr shared_chunks() noexcept = default;

  // Fills `out` with up to `count` chunks; returns how many, at least one. Throws std::bad_alloc.
  unsigned take_small(unsigned chunk_class, void** out, unsigned count);
  void give_small(unsigned chunk_class, void* const* chunks, unsigned count) noexcept;

  // Rounds a request up to steps of an eighth of a power of two up to 64 MiB, to whole pages above.
  // Aligned to a page, from 2 MiB on to a huge page, or to `alignment` if that is more. Null when
  // the system refuses even after everything kept was given back.
  void* take_large(std::size_t bytes, std::size_t alignment) noexcept;
  void give_large(void* p, std::size_t bytes, std::size_t alignment) noexcept;

  // So much may be kept, if `caching` is on. Gives back the rest.
  void set_limit(std::size_t bytes) noexcept;
  void set_caching(bool on) noexcept;
  bool is_caching() const noexcept { return caches_.load(std::memory_order_relaxed); }
  std::size_t trim() noexcept;

  struct usage_type {
    std::size_t in_use_bytes = 0;
    std::size_t cached_bytes = 0;
    std::size_t maps = 0;
    std::size_t unmaps = 0;
  };
  usage_type usage() noexcept;

  // Held across a fork, so that the child finds the state intact.
  void lock() noexcept;
  void unlock() noexcept;

 private:
  unsigned take_free(unsigned chunk_class, void** out, unsigned count) noexcept;
  void set_start_limit() noexcept;
  std::size_t limit() const noexcept {
    return is_caching() ? limit_.load(std::memory_order_relaxed) : 0;
  }
  void decay() noexcept;
  void* taken(void* p, std::size_t size) noexcept;

  static constexpr std::size_t not_set = SIZE_MAX;

  memory_budget budget_{memory_budget::none};
  slice_supply supply_{budget_};
  chunk_parts parts_{supply_};
  kept_mappings kept_{budget_};
  std::atomic<std::size_t> limit_{not_set};
  std::atomic<bool> caches_{true};
  std::atomic<std::size_t> large_bytes_{0};  // in use
  std::atomic<std::size_t> maps_{0};
  std::atomic<std::size_t> unmaps_{0};
  std::atomic<unsigned long long> next_decay_{0};  // in milliseconds
};

// Registers the handlers that take the locks of the page source's chunks before a fork.
MALLARD_API void hold_chunks_across_fork() noexcept;

}  // namespace mallard::inline v1::detail
