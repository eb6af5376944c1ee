#include "mallard/memory/static.hpp"

#include <cerrno>

#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/memory/failures.hpp"

namespace mallard::inline v1 {
namespace {

constexpr const char* static_kind = "static_resource";
constexpr std::size_t largest_alignment = std::size_t{1} << 30;

}  // namespace

void static_resource::fail_empty() {
  detail::fail_memory(memory_fault::bad_limit, EINVAL, static_kind, "storage of no bytes");
}

std::byte* static_resource::begin() const noexcept {
  const std::size_t granule = detail::extent_tree::granule_for(bytes_);
  const std::uintptr_t start = detail::address_of(storage_);
  return storage_ + (detail::round_up(start, granule) - start);
}

std::size_t static_resource::usable_bytes() const noexcept {
  const auto skipped = static_cast<std::size_t>(begin() - storage_);
  if (skipped >= bytes_) return 0;
  return detail::round_down(bytes_ - skipped, detail::extent_tree::granule_for(bytes_));
}

void static_resource::start() noexcept {
  started_ = true;
  const std::size_t usable = usable_bytes();
  free_.start(begin(), usable);
  if (usable != 0) free_.give_new(begin(), usable);
}

void* static_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (!detail::is_request(bytes, alignment, largest_alignment)) return nullptr;
  if (!started_) start();
  return free_.take(bytes == 0 ? 1 : bytes, alignment);
}

void* static_resource::allocate(std::size_t bytes, std::size_t alignment) {
  if (void* const p = try_allocate(bytes, alignment)) [[likely]] {
    return p;
  }
  detail::check_request(static_kind, bytes, alignment, largest_alignment);
  detail::fail_memory(memory_fault::full, ENOMEM, static_kind,
                      "%zu bytes at %zu; %zu of %zu are free", bytes, alignment, free_bytes(),
                      bytes_);
}

void static_resource::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
  MALLARD_ASSERT(started_ && owns(p) && "a block of another resource");
  free_.give(p, bytes == 0 ? 1 : bytes);
}

void static_resource::release() noexcept {
  detail::unpoison(storage_, bytes_);
  started_ = false;
}

std::size_t static_resource::free_bytes() const noexcept {
  return started_ ? free_.free_bytes() : usable_bytes();
}

}  // namespace mallard::inline v1
