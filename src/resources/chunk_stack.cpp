#include "mallard/detail/resources/chunk_stack.hpp"

#include <algorithm>

#include "mallard/detail/core/or_null.hpp"

namespace mallard::inline v1::detail {
namespace {

constexpr std::size_t header_bytes = round_up(sizeof(chunk_header), bump_alignment);

std::byte* begin_of(chunk_header* chunk) noexcept {
  return reinterpret_cast<std::byte*>(chunk) + header_bytes;
}
const std::byte* begin_of(const chunk_header* chunk) noexcept {
  return reinterpret_cast<const std::byte*>(chunk) + header_bytes;
}
std::byte* end_of(chunk_header* chunk) noexcept {
  return reinterpret_cast<std::byte*>(chunk) + chunk->bytes;
}

bool is_in(const void* p, const void* begin, std::size_t bytes) noexcept {
  return address_of(p) - address_of(begin) < bytes;
}

std::size_t bytes_between(const std::byte* from, const std::byte* to) noexcept {
  return static_cast<std::size_t>(to - from);
}

}  // namespace

chunk_stack::chunk_stack(void* buffer, std::size_t bytes, monotonic_options options,
                         std::pmr::memory_resource* upstream) noexcept
    : chunk_stack(options, upstream) {
  auto* const given = static_cast<std::byte*>(buffer);
  const std::uintptr_t begin = round_up(address_of(given), bump_step);
  const std::uintptr_t end = round_down(address_of(given) + bytes, bump_alignment);
  if (end > begin) {
    buffer_ = given + (begin - address_of(given));
    buffer_end_ = buffer_ + (end - begin);
  } else {  // of no use: an empty range with an aligned end
    buffer_ = buffer_end_ = reinterpret_cast<std::byte*>(end);
  }
  buffer_cursor_ = buffer_;
  next_bytes_ = std::max(next_bytes_, std::min(std::bit_ceil(bytes), options_.max_chunk_bytes));
  use(nullptr);
  poison(buffer_, bytes_between(buffer_, buffer_end_));
}

chunk_stack::~chunk_stack() {
  give_back_list(chunks_);
  give_back_list(spares_);
  unpoison(buffer_, bytes_between(buffer_, buffer_end_));
}

void* chunk_stack::carve_slow(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) {
    if (void* const p = range.carve(1, alignment)) return p;
    bytes = 1;
  }
  const std::size_t padding = alignment > bump_alignment ? alignment : 0;
  const std::size_t needed = header_bytes + padding + bump_bytes(bytes) + redzone_bytes;
  if (needed < bytes || needed > ~std::size_t{0} / 2) throw std::bad_alloc();
  if (needed > std::max(next_bytes_ / 2, shared_up_to_bytes)) {
    return carve_oversize(needed, bytes, alignment);
  }
  chunk_header* const chunk = next_chunk(needed, false);
  if (buffer_ != nullptr && current_ == nullptr) ++overflowed_;
  leave_current();
  chunk->cursor = begin_of(chunk);
  chunk->older = chunks_;
  chunks_ = chunk;
  use(chunk);
  return range.carve(bytes, alignment);
}

// Where upstream refuses, any spare that is large enough serves, whatever it was made for.
chunk_header* chunk_stack::next_chunk(std::size_t needed, bool oversize) {
  if (chunk_header* const spare = take_spare(needed, oversize, needed / 4)) return spare;
  try {
    return oversize ? allocate_chunk(needed, true) : allocate_next(needed);
  } catch (...) {
    for (const bool made_so : {oversize, !oversize}) {
      if (chunk_header* const spare = take_spare(needed, made_so, ~std::size_t{0})) {
        spare->oversize = oversize;
        return spare;
      }
    }
    throw;
  }
}

// Where upstream refuses, it may have room for a chunk that is just large enough. They grow again
// from there.
chunk_header* chunk_stack::allocate_next(std::size_t needed) {
  const std::size_t least = std::bit_ceil(needed);
  std::size_t wanted = std::max(next_bytes_, least);
  chunk_header* chunk = nullptr;
  try {
    chunk = allocate_chunk(wanted, false);
  } catch (...) {
    if (wanted == least || wanted > ~std::size_t{0} / 2) throw;
    wanted = least;
    chunk = allocate_chunk(wanted, false);
  }
  next_bytes_ = std::max(wanted, std::min(wanted * 2, options_.max_chunk_bytes));
  return chunk;
}

void* chunk_stack::try_carve_slow(std::size_t bytes, std::size_t alignment) noexcept {
  return or_null([&] { return carve_slow(bytes, alignment); });
}

// The current chunk stays in use; the block's own chunk joins the stack.
void* chunk_stack::carve_oversize(std::size_t needed, std::size_t bytes, std::size_t alignment) {
  chunk_header* const chunk = next_chunk(needed, true);
  bump_range all{begin_of(chunk), end_of(chunk), {}};
  void* const p = all.carve(bytes, alignment);
  chunk->cursor = all.cursor;
  chunk->older = chunks_;
  chunks_ = chunk;
  settled_bytes_ += used_bytes(chunk);
  return p;
}

void chunk_stack::take_back(void* p, std::size_t bytes) noexcept {
  constexpr int newest_looked_at = 8;
  if (turn_ != 0) return;
  auto* const block = static_cast<std::byte*>(p);
  chunk_header** link = &chunks_;
  for (int i = 0; i < newest_looked_at && *link != marked_; ++i, link = &(*link)->older) {
    chunk_header* const chunk = *link;
    if (!is_in(p, chunk, chunk->bytes)) continue;
    const bool is_alone = chunk->oversize || block == begin_of(chunk);
    if (chunk == current_) {
      if (!range.is_last(block, bytes)) return;
      note_peak();
      range.cursor = block;
    } else if (is_alone && bump_range{chunk->cursor, end_of(chunk), {}}.is_last(block, bytes)) {
      note_peak();
      settled_bytes_ -= used_bytes(chunk);
      *link = chunk->older;
      give_back(chunk);
    }
    return;
  }
}

// Spares come back in the order in which they were first made.
chunk_header* chunk_stack::take_spare(std::size_t bytes, bool oversize,
                                      std::size_t most_beside) noexcept {
  for (chunk_header** link = &spares_; *link != nullptr; link = &(*link)->older) {
    chunk_header* const spare = *link;
    if (spare->oversize != oversize || spare->bytes < bytes) continue;
    if (oversize && spare->bytes - bytes > most_beside) continue;
    *link = spare->older;
    return spare;
  }
  return nullptr;
}

chunk_header* chunk_stack::allocate_chunk(std::size_t bytes, bool oversize) {
  if (bytes > ~std::size_t{0} / 2) throw std::bad_alloc();  // rounding up may overflow
  bytes = round_up(bytes, bump_alignment);
  void* const p = upstream_->allocate(bytes, bump_alignment);
  auto* const chunk = ::new (p) chunk_header{};
  chunk->bytes = bytes;
  chunk->oversize = oversize;
  poison(begin_of(chunk), bytes - header_bytes);
  return chunk;
}

void chunk_stack::give_back(chunk_header* chunk) noexcept {
  const std::size_t bytes = chunk->bytes;
  unpoison(chunk, bytes);
  upstream_->deallocate(chunk, bytes, bump_alignment);
}

void chunk_stack::give_back_list(chunk_header* newest) noexcept {
  while (newest != nullptr) {
    chunk_header* const older = newest->older;
    give_back(newest);
    newest = older;
  }
}

void chunk_stack::leave_current() noexcept {
  (current_ != nullptr ? current_->cursor : buffer_cursor_) = range.cursor;
  settled_bytes_ += used_bytes(current_);
}

void chunk_stack::use(chunk_header* chunk) noexcept {
  current_ = chunk;
  settled_bytes_ -= used_bytes(chunk);
  range = chunk != nullptr ? bump_range{chunk->cursor, end_of(chunk), {}}
                           : bump_range{buffer_cursor_, buffer_end_, bump_gap::none()};
}

// For assertions. A mark from before the last rewind must not lie beyond where that went; earlier
// rewinds are not remembered.
bool chunk_stack::is_alive(const mark_type& mark) const noexcept {
  const auto reaches = [&](const chunk_header* from) {
    while (from != mark.chunk && from != nullptr) from = from->older;
    return from == mark.chunk;
  };
  if (!reaches(chunks_)) return false;
  if (mark.turn == turn_) return true;
  if (mark.chunk == last_rewind_.chunk) return mark.cursor <= last_rewind_.cursor;
  return reaches(last_rewind_.chunk);
}

void chunk_stack::rewind(mark_type to) noexcept {
  MALLARD_ASSERT(to.owner == this && "a mark of another resource");
  MALLARD_AUDIT(is_alive(to) && "a mark that has ended");
  rewind_to(to);
}

void chunk_stack::rewind_to(const mark_type& to) noexcept {
  last_rewind_ = to;
  ++turn_;
  note_peak();
  leave_current();
  while (chunks_ != to.chunk) {
    chunk_header* const newest = chunks_;
    settled_bytes_ -= used_bytes(newest);
    chunks_ = newest->older;
    newest->older = spares_;
    spares_ = newest;
    poison(begin_of(newest), newest->bytes - header_bytes);
  }
  chunk_header* current = chunks_;
  while (current != nullptr && current->oversize) current = current->older;
  use(current);
  range.cursor = to.cursor;
  poison(range.cursor, bytes_between(range.cursor, range.end));
}

void chunk_stack::reset(std::size_t keep_bytes) noexcept {
  rewind_to({nullptr, buffer_});
  chunk_header* kept = nullptr;
  chunk_header** end = &kept;
  std::size_t kept_bytes = 0;
  while (spares_ != nullptr) {
    chunk_header* const spare = spares_;
    spares_ = spare->older;
    if (spare->bytes > keep_bytes - kept_bytes) {
      give_back(spare);
      continue;
    }
    kept_bytes += spare->bytes;
    spare->older = nullptr;
    *end = spare;
    end = &spare->older;
  }
  spares_ = kept;
}

void chunk_stack::release() noexcept {
  reset(0);
  next_bytes_ = options_.initial_bytes;
}

std::size_t chunk_stack::used_bytes(const chunk_header* chunk) const noexcept {
  return chunk != nullptr ? bytes_between(begin_of(chunk), chunk->cursor)
                          : bytes_between(buffer_, buffer_cursor_);
}

void chunk_stack::note_peak() noexcept {
  peak_bytes_ = std::max(peak_bytes_, in_use_bytes());
}

std::size_t chunk_stack::in_use_bytes() const noexcept {
  const std::byte* const begin = current_ != nullptr ? begin_of(current_) : buffer_;
  return settled_bytes_ + bytes_between(begin, range.cursor);
}

bool chunk_stack::owns(const void* p) const noexcept {
  if (is_in(p, buffer_, bytes_between(buffer_, buffer_end_))) return true;
  for (const chunk_header* chunk = chunks_; chunk != nullptr; chunk = chunk->older) {
    if (is_in(p, chunk, chunk->bytes)) return true;
  }
  return false;
}

monotonic_stats chunk_stack::stats() const noexcept {
  monotonic_stats out;
  out.in_use_bytes = in_use_bytes();
  out.peak_bytes = std::max(peak_bytes_, out.in_use_bytes);
  out.reserved_bytes = bytes_between(buffer_, buffer_end_);
  for (const chunk_header* list : {chunks_, spares_}) {
    for (const chunk_header* chunk = list; chunk != nullptr; chunk = chunk->older) {
      out.reserved_bytes += chunk->bytes;
      ++out.chunks;
    }
  }
  out.overflowed = overflowed_;
  return out;
}

}  // namespace mallard::inline v1::detail
