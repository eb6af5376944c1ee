#include "mallard/checks/limit_resource.hpp"

#include <cerrno>

#include "mallard/detail/resources/allocate_from.hpp"
#include "mallard/memory/memory_error.hpp"

namespace mallard::inline v1 {
namespace {

using counter = detail::atomic<std::size_t>;

// Adds unless there would be more than `limit`.
bool add_within(counter& to, std::size_t more, std::size_t limit) noexcept {
  std::size_t now = to.load(detail::order::relaxed);
  do {
    // An allowed request may have exceeded the limit.
    if (now > limit || more > limit - now) return false;
  } while (
      !to.compare_exchange_weak(now, now + more, detail::order::relaxed, detail::order::relaxed));
  return true;
}

at_limit refuse_all(std::size_t, std::size_t) {
  return at_limit::refuse;
}

}  // namespace

limit_resource::limit_resource(resource_limits limits, resource_ref upstream)
    : limit_resource(limits, refuse_all, upstream) {}

limit_resource::limit_resource(resource_limits limits, handler on_limit, resource_ref upstream)
    : limits_(limits), on_limit_(std::move(on_limit)), upstream_(upstream) {
  if (limits.bytes == 0 || limits.blocks == 0) {
    throw memory_error(memory_fault::bad_limit, EINVAL, "limit_resource",
                       limits.bytes == 0 ? "a limit of 0 bytes" : "a limit of 0 blocks");
  }
}

void* limit_resource::allocate(std::size_t bytes, std::size_t alignment) {
  while (!take(bytes)) {
    const at_limit what = on_limit_(bytes, alignment);
    if (what == at_limit::refuse) throw limit_exceeded(bytes, limits_);
    if (what == at_limit::retry) continue;
    take_anyway(bytes);
    break;
  }
  try {
    return detail::allocate_from(*upstream_, bytes, alignment);
  } catch (...) {
    give_back(bytes);
    throw;
  }
}

void limit_resource::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
  upstream_->deallocate(p, bytes, alignment);
  give_back(bytes);
}

resource_limits limit_resource::in_use() const noexcept {
  return {bytes_.load(detail::order::relaxed), blocks_.load(detail::order::relaxed)};
}

// A request that is clearly too large takes nothing, not even for an instant in which another
// thread would be refused.
bool limit_resource::take(std::size_t bytes) noexcept {
  const std::size_t now = bytes_.load(detail::order::relaxed);
  if (now > limits_.bytes || bytes > limits_.bytes - now) return false;
  if (!add_within(blocks_, 1, limits_.blocks)) return false;
  if (add_within(bytes_, bytes, limits_.bytes)) return true;
  blocks_.fetch_sub(1, detail::order::relaxed);
  return false;
}

void limit_resource::take_anyway(std::size_t bytes) noexcept {
  blocks_.fetch_add(1, detail::order::relaxed);
  bytes_.fetch_add(bytes, detail::order::relaxed);
}

void limit_resource::give_back(std::size_t bytes) noexcept {
  bytes_.fetch_sub(bytes, detail::order::relaxed);
  blocks_.fetch_sub(1, detail::order::relaxed);
}

}  // namespace mallard::inline v1
