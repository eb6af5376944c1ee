#include "mallard/detail/resources/reserved_range.hpp"

#include <algorithm>

#include "mallard/detail/core/or_null.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {
namespace {

constexpr std::size_t usual_bytes = std::size_t{64} << 30;
constexpr std::size_t smallest_commit_bytes = std::size_t{64} << 10;

}  // namespace

std::size_t reserved_range::in_use_bytes() const noexcept {
  return static_cast<std::size_t>(range.cursor - begin_);
}

std::size_t reserved_range::committed_bytes() const noexcept {
  return static_cast<std::size_t>(range.end - begin_);
}

// Reserves what the options ask for. If they leave it open, reserves as much as the system gives,
// by halves, down to `least_bytes`; if that is less than usual, it leaves half of it.
bool reserved_range::reserve(std::size_t least_bytes) noexcept {
  const bool open = options_.reserve_bytes == 0;
  const std::size_t wanted = open ? usual_bytes : round_up(options_.reserve_bytes, os::page_bytes);
  if (least_bytes > wanted) return false;
  const std::size_t least = round_up(least_bytes, os::page_bytes);
  const auto half_of = [&](std::size_t bytes) {
    return std::max(round_up(bytes / 2, os::page_bytes), least);
  };
  const auto try_to = [&](std::size_t bytes) {
    begin_ = static_cast<std::byte*>(os::reserve(bytes));
    reserved_bytes_ = bytes;
    return begin_ != nullptr;
  };
  bool reserved = try_to(wanted);
  for (std::size_t bytes = wanted; open && !reserved && bytes != least;) {
    bytes = half_of(bytes);
    reserved = try_to(bytes);
    if (!reserved || bytes == least) continue;
    os::unmap(begin_, bytes);
    reserved = try_to(half_of(bytes));
  }
  if (reserved) begin_leak_scan(begin_, reserved_bytes_);
  range.cursor = range.end = begin_;
  return reserved;
}

// Commits at least up to `bytes` from the start, and twice what is committed if possible.
bool reserved_range::commit_up_to(std::size_t bytes) noexcept {
  if (begin_ == nullptr && !reserve(bytes)) return false;
  const std::size_t limit = reserved_bytes_;
  if (bytes > limit) return false;
  const std::size_t have = committed_bytes();
  const std::size_t doubled = std::max({bytes, have * 2, smallest_commit_bytes});
  std::size_t target = std::min(round_up(doubled, os::page_bytes), limit);
  if (!os::commit(range.end, target - have)) {
    target = round_up(bytes, os::page_bytes);
    if (!os::commit(range.end, target - have)) return false;
  }
  poison(range.end, target - have);
  range.end += target - have;
  return true;
}

void* reserved_range::carve_slow(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) {
    if (void* const p = range.carve(1, alignment)) return p;
    bytes = 1;
  }
  const std::size_t room = alignment + bump_bytes(bytes) + range.gap.bytes();
  if (room < bytes || room > ~std::size_t{0} / 2) throw std::bad_alloc();
  if (!commit_up_to(in_use_bytes() + room)) {
    // The last bytes of the reservation may do without room for alignment.
    if (!commit_up_to(in_use_bytes() + bump_bytes(bytes))) throw std::bad_alloc();
  }
  void* const p = range.carve(bytes, alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void* reserved_range::try_carve_slow(std::size_t bytes, std::size_t alignment) noexcept {
  return or_null([&] { return carve_slow(bytes, alignment); });
}

bool reserved_range::growing_range::try_expand(void* p, std::size_t old_bytes,
                                               std::size_t new_bytes) noexcept {
  if (bump_range::try_expand(p, old_bytes, new_bytes)) return true;
  auto* const block = static_cast<std::byte*>(p);
  if (!is_last(block, old_bytes)) return false;
  const auto before = static_cast<std::size_t>(block - owner_.begin_);
  if (new_bytes > ~std::size_t{0} / 2 ||
      !owner_.commit_up_to(before + bump_bytes(new_bytes) + gap.bytes())) {
    return false;
  }
  return bump_range::try_expand(p, old_bytes, new_bytes);
}

void reserved_range::rewind(mark_type to) noexcept {
  MALLARD_ASSERT(to.owner == this && "a mark of another resource");
  MALLARD_ASSERT((to.turn == turn_ || to.in_use_bytes <= last_rewind_bytes_) &&
                 "a mark that has ended");
  rewind_to(to.in_use_bytes);
}

void reserved_range::note_peak() noexcept {
  peak_bytes_ = std::max(peak_bytes_, in_use_bytes());
}

void reserved_range::rewind_to(std::size_t in_use_bytes) noexcept {
  last_rewind_bytes_ = in_use_bytes;
  ++turn_;
  if (begin_ == nullptr) return;
  note_peak();
  range.cursor = begin_ + in_use_bytes;
  poison(range.cursor, static_cast<std::size_t>(range.end - range.cursor));
}

void reserved_range::reset(std::size_t keep_bytes) noexcept {
  rewind_to(0);
  if (begin_ == nullptr || keep_bytes >= committed_bytes()) return;
  const std::size_t keep = round_up(keep_bytes, os::page_bytes);
  if (keep >= committed_bytes()) return;
  unpoison(begin_ + keep, committed_bytes() - keep);
  os::purge(begin_ + keep, committed_bytes() - keep);
  range.end = begin_ + keep;
}

void reserved_range::release() noexcept {
  if (begin_ == nullptr) return;
  rewind_to(0);
  unpoison(begin_, committed_bytes());
  end_leak_scan(begin_, reserved_bytes_);
  os::unmap(begin_, reserved_bytes_);
  begin_ = range.cursor = range.end = nullptr;
}

monotonic_stats reserved_range::stats() const noexcept {
  return {.in_use_bytes = in_use_bytes(),
          .peak_bytes = std::max(peak_bytes_, in_use_bytes()),
          .reserved_bytes = committed_bytes(),
          .chunks = begin_ != nullptr ? std::size_t{1} : std::size_t{0},
          .overflowed = 0};
}

}  // namespace mallard::inline v1::detail
