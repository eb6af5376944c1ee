// Purpose: the memory of a reserved_resource: reserved once, committed from the front as needed.
#pragma once

#include <cstddef>

#include "mallard/arena.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/chunk_stack.hpp"

namespace mallard::inline v1::detail {

class MALLARD_API reserved_range {
 public:
  explicit reserved_range(reserved_options options) noexcept : options_(options) {
    if (options.reserve_bytes != 0) range.gap = bump_gap::none();
  }
  reserved_range(const reserved_range&) = delete;
  reserved_range& operator=(const reserved_range&) = delete;
  ~reserved_range() { release(); }

  // Ends where the committed part ends; `carve_slow` moves the end.
  struct growing_range : bump_range {
    explicit growing_range(reserved_range& owner) noexcept : owner_(owner) {}
    bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept;

   private:
    reserved_range& owner_;
  };
  growing_range range{*this};

  struct mark_type {
    std::size_t in_use_bytes = 0;
    const reserved_range* owner = nullptr;
    std::size_t turn = 0;  // number of rewinds before it
  };
  mark_type mark() const noexcept { return {in_use_bytes(), this, turn_}; }
  void rewind(mark_type to) noexcept;
  void reset(std::size_t keep_bytes) noexcept;
  void release() noexcept;

  MALLARD_COLD void* carve_slow(std::size_t bytes, std::size_t alignment);
  MALLARD_COLD void* try_carve_slow(std::size_t bytes, std::size_t alignment) noexcept;
  void note_peak() noexcept;  // before bytes are freed
  monotonic_stats stats() const noexcept;
  bool owns(const void* p) const noexcept {
    return address_of(p) - address_of(begin_) < static_cast<std::size_t>(range.end - begin_);
  }

 private:
  void rewind_to(std::size_t in_use_bytes) noexcept;
  bool reserve(std::size_t least_bytes) noexcept;
  bool commit_up_to(std::size_t bytes) noexcept;
  std::size_t in_use_bytes() const noexcept;
  std::size_t committed_bytes() const noexcept;

  reserved_options options_;
  std::byte* begin_ = nullptr;  // null until the first request
  std::size_t reserved_bytes_ = 0;
  std::size_t last_rewind_bytes_ = 0;  // older marks beyond it have ended
  std::size_t turn_ = 0;
  std::size_t peak_bytes_ = 0;
};

}  // namespace mallard::inline v1::detail
