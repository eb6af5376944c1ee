#include "mallard/memory/range.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>

#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/os/mapping.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1 {

namespace os = detail::os;

namespace {

constexpr std::size_t usual_step_bytes = std::size_t{64} << 10;

}  // namespace

range_resource::range_resource(const shape& what)
    : who_(what.who), limit_bytes_(what.limit_bytes), largest_step_(what.largest_step) {
  unit_bytes_ = std::max(os::page_size(), what.alignment);
  step_bytes_ =
      detail::round_up(what.step_bytes != 0 ? what.step_bytes : usual_step_bytes, unit_bytes_);
  if (limit_bytes_ == 0 || limit_bytes_ > PTRDIFF_MAX - 4 * unit_bytes_) {
    detail::fail_memory(memory_fault::bad_limit, EINVAL, who_, "a limit of %zu bytes",
                        limit_bytes_);
  }
  limit_bytes_ = detail::round_up(limit_bytes_, unit_bytes_);
  if (what.guards) guard_bytes_ = unit_bytes_;
  // Slabs and chunks are aligned to themselves, so that none of them should be lost at the start.
  const std::size_t alignment =
      what.guards
          ? unit_bytes_
          : std::max(unit_bytes_, std::min(std::bit_floor(limit_bytes_), os::huge_page_bytes));
  auto* const all =
      static_cast<std::byte*>(os::reserve(limit_bytes_ + 2 * guard_bytes_, alignment));
  if (all == nullptr) {
    detail::fail_memory(memory_fault::refused, errno, who_,
                        "cannot reserve addresses for %zu bytes", limit_bytes_);
  }
  begin_ = all + guard_bytes_;
  free_.start(begin_, limit_bytes_);
}

range_resource::~range_resource() {
  detail::unpoison(begin_, usable_bytes_);
  if (usable_bytes_ != 0) detail::end_leak_scan(begin_, limit_bytes_);
  os::unmap(begin_ - guard_bytes_, limit_bytes_ + 2 * guard_bytes_);
}

// Makes room for the block behind what is usable; free memory at its end counts. When there is no
// room, says why not, and changes nothing.
bool range_resource::grow(std::size_t bytes, std::size_t alignment, detail::refusal& why) noexcept {
  std::byte* const end = begin_ + usable_bytes_;
  const std::byte* const start = free_.start_of_last(end);
  const std::size_t before =
      detail::round_up(detail::address_of(start), std::max(alignment, free_.granule())) -
      detail::address_of(begin_);
  const std::size_t needed = before + detail::round_up(bytes, free_.granule());
  if (before > limit_bytes_ || needed > limit_bytes_) {
    why = {memory_fault::full, ENOMEM};
    return false;
  }
  const std::size_t least = detail::round_up(needed - usable_bytes_, unit_bytes_);
  const std::size_t roomy =
      std::max({least, step_bytes_, detail::round_up(usable_bytes_ / 2, unit_bytes_)});
  const std::size_t most = std::max({least, step_bytes_, largest_step_});
  std::size_t got = std::min({roomy, most, limit_bytes_ - usable_bytes_});
  int error = extend(end, got);
  if (error != 0 && got > least) error = extend(end, got = least);
  if (error != 0) {
    why = {memory_fault::refused, error};
    return false;
  }
  if (usable_bytes_ == 0) detail::begin_leak_scan(begin_, limit_bytes_);
  usable_bytes_ += got;
  free_.give_new(end, got);
  return true;
}

inline void* range_resource::take_at_once(std::size_t bytes, std::size_t alignment) noexcept {
  if (!is_writable_ || !detail::is_request(bytes, alignment, largest_alignment)) return nullptr;
  void* const p = free_.take(bytes + (bytes == 0), alignment);
  if (p == nullptr) return nullptr;
  ++in_use_blocks_;
  peak_bytes_ = std::max(peak_bytes_, usable_bytes_ - free_.free_bytes());
  return p;
}

// Null, and why, when there is no room: the caller decides whether to throw.
void* range_resource::take(std::size_t bytes, std::size_t alignment,
                           detail::refusal& why) noexcept {
  if (!is_writable_) {
    why = {memory_fault::not_writable, EACCES};
    return nullptr;
  }
  if (!detail::is_request(bytes, alignment, largest_alignment)) return nullptr;
  return grow(bytes + (bytes == 0), alignment, why) ? take_at_once(bytes, alignment) : nullptr;
}

void* range_resource::allocate(std::size_t bytes, std::size_t alignment) {
  if (void* const p = take_at_once(bytes, alignment)) [[likely]] {
    return p;
  }
  detail::refusal why;
  if (void* const p = take(bytes, alignment, why)) return p;
  fail(bytes, alignment, why);
}

void range_resource::fail(std::size_t bytes, std::size_t alignment, const detail::refusal& why) {
  detail::check_request(who_, bytes, alignment, largest_alignment);
  if (why.fault == memory_fault::not_writable) {
    detail::fail_memory(why.fault, why.error, who_, "%zu bytes of protected memory", bytes);
  }
  if (why.fault == memory_fault::refused) {
    detail::fail_memory(why.fault, why.error, who_,
                        "cannot make memory usable for %zu bytes at %zu", bytes, alignment);
  }
  detail::fail_memory(memory_fault::full, ENOMEM, who_, "%zu bytes at %zu beyond the limit of %zu",
                      bytes, alignment, limit_bytes_);
}

void* range_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (void* const p = take_at_once(bytes, alignment)) return p;
  detail::refusal why;
  return take(bytes, alignment, why);
}

void range_resource::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
  MALLARD_ASSERT(owns(p) && "a block of another resource");
  MALLARD_ASSERT(is_writable_ && "a block of protected memory");
  --in_use_blocks_;
  free_.give(p, bytes + (bytes == 0));
}

void range_resource::release() noexcept {
  if (usable_bytes_ == 0) return;
  detail::unpoison(begin_, usable_bytes_);
  free_.start(begin_, limit_bytes_);
  in_use_blocks_ = 0;
  if (os::make_unusable(begin_, usable_bytes_) == 0) {
    detail::end_leak_scan(begin_, limit_bytes_);
    usable_bytes_ = 0;
    return;
  }
  free_.give_new(begin_, usable_bytes_);  // the system refused: the memory is kept
}

void range_resource::trim() noexcept {
  if (!is_writable_) return;
  free_.join();
  free_.for_each_free([](void* p, std::size_t bytes) { os::purge(p, bytes); });
}

memory_stats range_resource::stats() const noexcept {
  return {.limit_bytes = limit_bytes_,
          .usable_bytes = usable_bytes_,
          .in_use_bytes = usable_bytes_ - free_.free_bytes(),
          .peak_bytes = peak_bytes_,
          .in_use_blocks = in_use_blocks_};
}

}  // namespace mallard::inline v1
