// Purpose: a callback that decides when memory runs out: free something and retry, or give up.
//
//   std::vector<char> cache(1 << 20);
//   mallard::failure_callback_resource memory([&](std::size_t, std::size_t) {
//     return !std::exchange(cache, {}).empty();  // true: there may be memory now
//   });
//   mallard::multipool_resource pool(&memory);
//   std::pmr::vector<int> v(1000, &pool);
//
// Complexity: as upstream. Thread-safety: as upstream, if any thread may call the callback.
//
// Source of the idea: `std::new_handler`, and RMM's failure_callback_resource_adaptor.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <utility>

#include "mallard/detail/callback.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/page_source.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

class MALLARD_API failure_callback_resource final
    : public detail::by_base<failure_callback_resource> {
 public:
  // Called with the size and alignment in bytes of a request for which upstream threw
  // `std::bad_alloc`. If it returns true, upstream is asked again. Its exceptions are passed on.
  using handler = detail::callback<bool(std::size_t bytes, std::size_t alignment)>;

  // Owns `on_failure`. `upstream`, by default the page source, must outlive the resource.
  explicit failure_callback_resource(handler on_failure,
                                     resource_ref upstream = page_source::instance())
      : on_failure_(std::move(on_failure)), upstream_(upstream.get()) {}
  failure_callback_resource(const failure_callback_resource&) = delete;
  failure_callback_resource& operator=(const failure_callback_resource&) = delete;

  // Errors: what upstream throws, once the callback has returned false.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  // Effects: as `allocate`, but returns null instead of throwing.
  void* try_allocate(std::size_t bytes,
                     std::size_t alignment = alignof(std::max_align_t)) noexcept {
    return detail::allocate_or_null(*this, bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept {
    upstream_->deallocate(p, bytes, alignment);
  }

  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

 private:
  handler on_failure_;
  std::pmr::memory_resource* upstream_;
};

}  // namespace mallard::inline v1
