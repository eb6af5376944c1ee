// Maps a segment into this process, and makes new ones.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/memory/segment.hpp"
#include "mallard/detail/os/mapping.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {
namespace {

void make_lock(pthread_mutex_t& lock) noexcept {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

}  // namespace

segment::~segment() {
  if (reserved_ != nullptr) os::unmap(reserved_, reserved_bytes_);
  os::close_file(descriptor_);
}

void segment::check_limit(const char* who, std::size_t limit_bytes) {
  if (limit_bytes >= smallest_segment_bytes && limit_bytes <= largest_segment_bytes) return;
  fail_memory(memory_fault::bad_limit, EINVAL, who, "a limit of %zu bytes, not of %zu to %zu",
              limit_bytes, smallest_segment_bytes, largest_segment_bytes);
}

void segment::check_address(const char* who, const void* address) {
  if (address_of(address) % segment_alignment == 0) return;
  fail_memory(memory_fault::bad_alignment, EINVAL, who, "address %p is no multiple of %zu", address,
              segment_alignment);
}

// Reserves addresses for the whole limit, and a page before them for this process's own word.
void segment::reserve(void* address) {
  const std::size_t page = os::page_size();
  const std::size_t bytes = round_up(shape_.limit_bytes, page);
  if (address != nullptr) {
    check_address(who_, address);
    auto* const wanted = static_cast<std::byte*>(address);
    if (!os::reserve_at(wanted - page, bytes + page)) {
      fail_memory(memory_fault::refused, EEXIST, who_, "cannot map %zu bytes at %p", bytes,
                  address);
    }
    reserved_ = wanted - page;
    reserved_bytes_ = bytes + page;
    base_ = wanted;
  } else {
    reserved_bytes_ = bytes + segment_alignment;
    reserved_ = static_cast<std::byte*>(os::reserve(reserved_bytes_, segment_alignment));
    if (reserved_ == nullptr) {
      fail_memory(memory_fault::refused, errno, who_, "cannot reserve addresses for %zu bytes",
                  bytes);
    }
    base_ = reserved_ + segment_alignment;
  }
  if (const int error = os::make_usable(base_ - page, page)) {
    fail_memory(memory_fault::refused, error, who_, "cannot make %zu bytes usable", page);
  }
}

// Maps through another descriptor: a mapping keeps an open file and its locks, even in a child that
// outlives this process.
void segment::map() {
  int other = -1;
  int error = os::open_again(descriptor_, !is_private(), other);
  if (error == 0) {
    error = os::map_file(base_, shape_.limit_bytes, other, !is_private());
    os::close_file(other);
  }
  if (error == 0) return;
  fail_memory(memory_fault::refused, error, who_, "cannot map %llu bytes",
              static_cast<unsigned long long>(shape_.limit_bytes));
}

// A process may end anywhere in it. So one call writes the file's first bytes before it has any
// others: they say what is being made, and that it is not ready.
void segment::create(segment_kind kind, std::size_t limit_bytes, void* address) {
  check_limit(who_, limit_bytes);
  shape_ = make_segment_shape(kind, limit_bytes);
  reserve(address);
  const segment_start start{shape_, 0, 0, 0};
  if (const int error = os::write_file(descriptor_, &start, sizeof start, 0)) {
    fail_memory(memory_fault::refused, error, who_, "cannot write the header");
  }
  const std::size_t first_bytes =
      round_up(std::size_t{shape_.first_unit} * unit_bytes, os::page_size());
  if (const int error = os::extend_file(descriptor_, first_bytes)) {
    fail_memory(memory_fault::refused, error, who_, "cannot get space for %zu bytes", first_bytes);
  }
  map();
  initialise(kind);
}

bool segment::is_half_made(int descriptor, segment_kind kind) noexcept {
  segment_start start{};
  if (os::read_file(descriptor, &start, sizeof start, 0) != 0 || start.ready != 0) return false;
  if (start.shape.limit_bytes > largest_segment_bytes) return false;
  const segment_shape sane = make_segment_shape(kind, start.shape.limit_bytes);
  return std::memcmp(&start.shape, &sane, sizeof sane) == 0;
}

// Behind its first bytes the file is zero: empty bitmaps and lists.
void segment::initialise(segment_kind kind) noexcept {
  segment_header& h = header();
  h.shape = shape_;
  h.usable_units.store(shape_.first_unit, std::memory_order_relaxed);
  h.lowest_free.store(shape_.first_unit, std::memory_order_relaxed);
  mark_units(0, shape_.first_unit, what::used);
  if (kind == segment_kind::shared) make_lock(h.lock);
  h.ready.store(1, std::memory_order_release);
}

// Reads instead of mapping: a mapped byte of a file that is too short must not be touched.
void segment::open(segment_kind kind, void* address) {
  std::size_t bytes = 0;
  if (const int error = os::file_bytes(descriptor_, bytes)) {
    fail_memory(memory_fault::not_memory, error, who_, "not a file that can be mapped");
  }
  segment_start start{};
  if (bytes < sizeof start) {
    fail_memory(bytes == 0 ? memory_fault::cut : memory_fault::wrong_file, EINVAL, who_,
                "a file of %zu bytes", bytes);
  }
  if (const int error = os::read_file(descriptor_, &start, sizeof start, 0)) {
    fail_memory(memory_fault::refused, error, who_, "cannot read the header");
  }
  const segment_shape sane = make_segment_shape(kind, start.shape.limit_bytes);
  if (std::memcmp(start.shape.magic, sane.magic, sizeof sane.magic) != 0) {
    fail_memory(memory_fault::wrong_file, EINVAL, who_, "not made by this library");
  }
  if (start.shape.version != segment_version || start.shape.header_bytes != sane.header_bytes) {
    fail_memory(memory_fault::wrong_version, EINVAL, who_,
                "made by layout %u of %u bytes, not %u of %u", start.shape.version,
                start.shape.header_bytes, segment_version, sane.header_bytes);
  }
  if (start.shape.kind != kind) {
    fail_memory(memory_fault::wrong_file, EINVAL, who_, "of another kind: %u",
                static_cast<unsigned>(start.shape.kind));
  }
  const bool limit_is_sane = start.shape.limit_bytes >= smallest_segment_bytes &&
                             start.shape.limit_bytes <= largest_segment_bytes;
  if (!limit_is_sane || std::memcmp(&start.shape, &sane, sizeof sane) != 0) {
    fail_memory(memory_fault::damaged, EINVAL, who_, "the header contradicts itself");
  }
  if (start.ready != 1) {
    fail_memory(memory_fault::not_closed, EINVAL, who_, "its maker ended before it was made");
  }
  const std::size_t usable = std::size_t{start.usable_units} * unit_bytes;
  // Others may make more usable meanwhile. The file grows first, so its size is asked for last.
  if (usable > bytes && (os::file_bytes(descriptor_, bytes) != 0 || usable > bytes)) {
    fail_memory(memory_fault::cut, EINVAL, who_, "of %zu bytes only %zu are there", usable, bytes);
  }
  if (start.usable_units < sane.first_unit || start.usable_units > sane.limit_units) {
    fail_memory(memory_fault::damaged, EINVAL, who_, "%u units of %u", start.usable_units,
                sane.limit_units);
  }
  shape_ = sane;
  reserve(address);
  map();
}

void segment::become_another_process() noexcept {
  int own = -1;
  if (os::open_again(descriptor_, !is_private(), own) == 0)
    os::replace_descriptor(descriptor_, own);
}

// Grows at least to so many units, and a quarter more if there is space for that.
int segment::grow(std::uint32_t least_units) noexcept {
  const std::uint32_t have = usable_units();
  const auto page_units = static_cast<std::uint32_t>(divide_up(os::page_size(), unit_bytes));
  const std::uint32_t step = std::clamp(have / 4, 16u, 1024u);
  const std::uint32_t limit = shape_.limit_units;
  const auto up_to = [&](std::uint32_t units) noexcept {
    const std::uint32_t to = smaller(limit, (units + page_units - 1) / page_units * page_units);
    const std::size_t end = std::size_t{to} * unit_bytes;
    const std::size_t begin = round_up(std::size_t{have} * unit_bytes, os::page_size());
    const int error = !is_private() ? os::extend_file(descriptor_, end)
                      : begin < end ? os::make_fresh(base_ + begin, end - begin)
                                    : 0;
    if (error == 0) header().usable_units.store(to, std::memory_order_release);
    return error;
  };
  const int error = up_to(larger(least_units, have + step));
  return error == 0 ? 0 : up_to(least_units);
}

}  // namespace mallard::inline v1::detail
