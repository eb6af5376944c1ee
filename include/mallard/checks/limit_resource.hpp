// Purpose: limits the bytes and blocks that are in use at once.
//
//   mallard::limit_resource quota({.bytes = 1 << 20}, &pool);
//   std::pmr::vector<char> request(&quota);
//   try {
//     request.resize(2 << 20);
//   } catch (const mallard::limit_exceeded& e) { ... }  // a std::bad_alloc
//
// Complexity: as upstream, plus two atomic operations. Thread-safety: as upstream, if any thread
// may call the callback; the limits hold for all threads together.
//
// Source of the idea: RMM's limiting_resource_adaptor; bumpalo's allocation limit.
#pragma once

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <utility>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/callback.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"  // IWYU pragma: keep
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/memory/memory_error.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

// Limits of what is in use at once. Sizes are the bytes requested, not what they cost.
struct resource_limits {
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
  std::size_t blocks = std::numeric_limits<std::size_t>::max();
};

// Only limit_resource throws it.
class MALLARD_API limit_exceeded : public std::bad_alloc {
 public:
  limit_exceeded(std::size_t bytes, resource_limits limits) noexcept
      : bytes_(bytes), limits_(limits) {}
  const char* what() const noexcept override {
    return "mallard::limit_exceeded: more than the limit would be in use";
  }
  std::size_t bytes() const noexcept { return bytes_; }        // of the refused request
  resource_limits limits() const noexcept { return limits_; }  // of the resource

 private:
  std::size_t bytes_;
  resource_limits limits_;
};

// The answer to a request beyond a limit.
enum class at_limit {
  refuse,  // throw limit_exceeded
  retry,   // check the limits again: something has been freed
  allow,   // allow this request
};

class MALLARD_API limit_resource final : public detail::by_base<limit_resource> {
 public:
  // Called with the size and alignment in bytes of a request beyond a limit; no lock is held. Its
  // exceptions come out of allocate.
  using handler = detail::callback<at_limit(std::size_t bytes, std::size_t alignment)>;

  // Effects: keeps what is in use of `upstream`, which must outlive this object, within `limits`.
  // Errors: memory_error (memory_fault::bad_limit) if a limit is 0.
  explicit limit_resource(resource_limits limits,
                          resource_ref upstream = std::pmr::new_delete_resource());
  limit_resource(resource_limits limits, handler on_limit,
                 resource_ref upstream = std::pmr::new_delete_resource());
  limit_resource(const limit_resource&) = delete;
  limit_resource& operator=(const limit_resource&) = delete;
  ~limit_resource() override = default;

  // Errors: limit_exceeded, what the callback or upstream throws; then nothing has changed.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  // Effects: as `allocate`, but returns null instead of throwing.
  void* try_allocate(std::size_t bytes,
                     std::size_t alignment = alignof(std::max_align_t)) noexcept {
    return detail::allocate_or_null(*this, bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept;

  resource_limits limits() const noexcept { return limits_; }
  // Returns: the amounts in use now.
  resource_limits in_use() const noexcept;
  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

 private:
  bool take(std::size_t bytes) noexcept;
  void take_anyway(std::size_t bytes) noexcept;
  void give_back(std::size_t bytes) noexcept;

  resource_limits limits_;
  handler on_limit_;
  std::pmr::memory_resource* upstream_;
  detail::atomic<std::size_t> bytes_{0};  // in use
  detail::atomic<std::size_t> blocks_{0};
};

}  // namespace mallard::inline v1
