#include "route/preload/routed_range.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <bit>

#include "route/preload/map_zeros.hpp"

namespace mallard::route {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
// The memory of runs of that size goes back to the system.
constexpr std::size_t purged_bytes = std::size_t{1} << 20;

unsigned size_of_run(std::size_t bytes) {
  const std::size_t units = (bytes + unit_bytes - 1) >> unit_shift;
  return static_cast<unsigned>(std::bit_width(units - 1));
}

}  // namespace

bool routed_range::open() noexcept {
  for (std::size_t bytes = std::size_t{1} << 38; bytes >= std::size_t{1} << 28; bytes /= 4) {
    void* const range = map_zeros(bytes + huge_page);
    if (range == nullptr) continue;
    void* const owners = map_zeros((bytes >> unit_shift) * 2 * sizeof(std::uint32_t));
    // The call that asked for each block may be remembered.
    const std::size_t later_bytes = bytes / granule * sizeof(std::uint32_t);
    void* const later = map_zeros(later_bytes, PROT_NONE);
    if (later != nullptr) munmap(later, later_bytes);
    if (owners == nullptr || later == nullptr) {
      munmap(range, bytes + huge_page);
      if (owners != nullptr) munmap(owners, (bytes >> unit_shift) * 2 * sizeof(std::uint32_t));
      continue;
    }
    owners_ = static_cast<std::uint32_t*>(owners);
    next_run_ = owners_ + (bytes >> unit_shift);
    base_ = (reinterpret_cast<std::uintptr_t>(range) + huge_page - 1) & ~(huge_page - 1);
    bytes_ = bytes;
    return true;
  }
  return false;
}

bool routed_range::remember_sites() noexcept {
  void* const memory = map_zeros(bytes_ / granule * sizeof(std::uint32_t));
  sites_ = static_cast<std::uint32_t*>(memory);
  return memory != nullptr;
}

void* routed_range::take(std::size_t bytes, std::uint32_t owner) noexcept {
  if (bytes == 0 || bytes > bytes_) return nullptr;
  const unsigned size = size_of_run(bytes);
  if (size >= run_sizes) return nullptr;
  const std::size_t units = std::size_t{1} << size;
  lock();
  std::size_t first = 0;
  if (free_runs_[size] != 0) {
    first = free_runs_[size] - 1;
    free_runs_[size] = next_run_[first];
  } else {
    const std::size_t alignment = units < huge_page / unit_bytes ? units : huge_page / unit_bytes;
    first = (used_.load(std::memory_order_relaxed) + alignment - 1) & ~(alignment - 1);
    if (first + units > bytes_ >> unit_shift) {
      unlock();
      return nullptr;
    }
    used_.store(first + units, std::memory_order_relaxed);
  }
  unlock();
  for (std::size_t i = first; i < first + units; ++i) owners_[i] = owner;
  return reinterpret_cast<void*>(base_ + (first << unit_shift));
}

void routed_range::give(void* run, std::size_t bytes) noexcept {
  const unsigned size = size_of_run(bytes);
  const std::size_t first = unit_of(run);
  if (bytes >= purged_bytes) madvise(run, unit_bytes << size, MADV_DONTNEED);
  for (std::size_t i = first; i < first + (std::size_t{1} << size); ++i) owners_[i] = 0;
  lock();
  next_run_[first] = free_runs_[size];
  free_runs_[size] = static_cast<std::uint32_t>(first + 1);
  unlock();
}

void routed_range::lock() noexcept {
  while (locked_.exchange(1, std::memory_order_acquire) != 0) sched_yield();
}

void routed_range::unlock() noexcept {
  locked_.store(0, std::memory_order_release);
}

}  // namespace mallard::route
