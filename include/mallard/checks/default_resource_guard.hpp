// Purpose: default_resource_guard sets the default resource until the end of a scope;
// forbidden_default reports every use of the default resource.
//
//   mallard::forbidden_default none;  // from here on, reports every use of the default resource
//   std::pmr::vector<int> v(100, &arena);
//   std::pmr::vector<int> copy(v);  // aborts: a copy uses the default resource
//
// Complexity: O(1). Thread-safety: the program has one default resource. Change it only while no
// other thread makes objects that use it.
//
// Source of the idea: bslma::DefaultAllocatorGuard of BDE; P1160's default_resource_guard.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <utility>

#include "mallard/checks/test_report.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/by_base.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

class [[nodiscard]] default_resource_guard {
 public:
  // Effects: makes `temporary`, which must outlive this object, the default resource.
  explicit default_resource_guard(resource_ref temporary) noexcept
      : before_(std::pmr::set_default_resource(temporary)) {}
  default_resource_guard(const default_resource_guard&) = delete;
  default_resource_guard& operator=(const default_resource_guard&) = delete;
  ~default_resource_guard() { std::pmr::set_default_resource(before_); }

  std::pmr::memory_resource* before() const noexcept { return before_; }

 private:
  std::pmr::memory_resource* before_;
};

// Reports every allocation (test_fault::from_default), then serves it from the previous default
// resource, so that a handler may go on. Destroy the objects that use it before it.
class MALLARD_API [[nodiscard]] forbidden_default final
    : public detail::by_base<forbidden_default> {
 public:
  // Effects: is the default resource until it is destroyed. Passes an allocation to `on_fault`; the
  // default handler prints it on stderr and aborts the program.
  explicit forbidden_default(test_handler on_fault = detail::print_and_abort) noexcept
      : on_fault_(std::move(on_fault)), guard_(this) {}
  forbidden_default(const forbidden_default&) = delete;
  forbidden_default& operator=(const forbidden_default&) = delete;
  ~forbidden_default() override = default;

  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  void deallocate(void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    guard_.before()->deallocate(p, bytes, alignment);
  }

 private:
  test_handler on_fault_;
  default_resource_guard guard_;
};

}  // namespace mallard::inline v1
