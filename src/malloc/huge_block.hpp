// Purpose: blocks with a mapping of their own, which grow by moving pages, not bytes.
//
// Blocks from 8 MiB on have one, and while there are few mappings, blocks half as large that had to
// move as they grew: their pages move here.
// A mapping begins with a page for its size, its flags and the block's mark, at a multiple of the
// region's size unless the alignment is as large; so a block's address leads there as it leads to a
// region's header. Freed mappings are kept for blocks down to half their size; what these do not
// need of them goes back unless all blocks together spare little. Where blocks have guards, at most
// an eighth stays, before the block, and kept mappings lie elsewhere than their blocks did, but for
// those of more than a thousand blocks freed in a second.
// Thread-safe: different blocks share only counters and the kept mappings, and nobody waits long
// for these.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/pages/kept_mappings.hpp"
#include "mallard/detail/pages/memory_budget.hpp"
#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

inline constexpr std::size_t least_huge_bytes = std::size_t{8} << 20;

inline constexpr std::size_t largest_alignment = std::size_t{1} << 30;

struct huge_usage {
  std::size_t blocks = 0;
  std::size_t mapped_bytes = 0;
  std::size_t kept_bytes = 0;  // mapped besides, for later blocks
};

class huge_blocks {
 public:
  explicit constexpr huge_blocks(memory_budget& budget) noexcept : kept(budget), budget_(budget) {}

  // Null when the system refuses, or `only_kept` and no kept mapping fits. `alignment` is a power
  // of two.
  void* allocate(std::size_t bytes, std::size_t alignment, bool only_kept = false) noexcept;
  void deallocate(void* p) noexcept;

  // Makes the block `bytes` large, in place or elsewhere, without copying. Null, with nothing
  // changed, when the system refuses; it never refuses to make one smaller.
  void* resize(void* p, std::size_t bytes) noexcept;

  // The same for a block that is not huge, of `have` bytes: its whole pages go, and leave zeros
  // behind. Null, with its contents unchanged, when the system refuses.
  void* take_over(void* p, std::size_t have, std::size_t bytes) noexcept;
  // Whether another one may have a mapping.
  bool leaves_mappings() const noexcept;
  // Reads how many a process may have: at the start, as the program may forbid itself to open files
  // later.
  static void look_at_system() noexcept;
  bool are_few() const noexcept {
    return blocks_.load(std::memory_order_relaxed) < std::size_t{4096};
  }

  // Huge pages are asked for from this size on; SIZE_MAX: never.
  void set_least_of_huge_pages(std::size_t bytes) noexcept {
    least_of_huge_pages_.store(bytes, std::memory_order_relaxed);
  }

  // Whether all large blocks get mappings, as those of the hardened build do.
  bool maps_all() const noexcept {
    return blocks_.load(std::memory_order_relaxed) < checks::most_mapped_large_blocks;
  }
  huge_usage usage() const noexcept {
    return {blocks_.load(std::memory_order_relaxed),
            budget_.mappings.in_use.load(std::memory_order_relaxed), kept.bytes()};
  }

  kept_mappings kept;  // of blocks that were freed

 private:
  void prefer_huge_pages(void* mapping, std::size_t bytes, std::size_t before) noexcept;
  void cut(region* r, std::size_t least) noexcept;
  void cut_unless_little(region* r, std::size_t needed) noexcept;
  void forget_spare(region* r) noexcept;
  region* move_to(region* r, std::size_t bytes) noexcept;
  void fit_with_guard(region* r, std::size_t needed, std::size_t most_more) noexcept;
  bool may_move() noexcept;
  bool keep_with_guard(region* r) noexcept;
  region* map(std::size_t needed) noexcept;
  void* hand_out(region* r, std::size_t offset) noexcept;
  bool take_of_budget(std::size_t bytes) noexcept;
  static std::atomic<std::size_t> most_mappings_;  // of a process
  std::atomic<std::size_t>& mapped() noexcept { return budget_.mappings.in_use; }

  memory_budget& budget_;
  std::atomic<std::size_t> blocks_{0};
  static constexpr std::size_t most_spare = std::size_t{32} << 20;
  std::atomic<std::size_t> spare_{0};
  std::atomic<std::size_t> least_of_huge_pages_{SIZE_MAX};
  std::atomic<unsigned long long> moved_in_{0};  // the second, and so many in it
  std::atomic<unsigned> moved_{0};
};

// Whether what lies unused before the block is much beside so many bytes.
bool is_behind_unused(const void* p, std::size_t bytes) noexcept;

std::size_t huge_payload_bytes(const void* p) noexcept;

// Whether the block is huge and was zeroed when it was handed out, as all are except those in a
// kept mapping. Bytes added as it grows are zeroed as well then.
bool is_fresh_huge(const void* p) noexcept;

}  // namespace mallard::inline v1::detail
