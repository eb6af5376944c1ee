#include "mallard/memory/protected.hpp"

#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/os/mapping.hpp"

namespace mallard::inline v1 {
namespace {

constexpr const char* protected_kind = "protected_resource";

detail::os::access system_access(page_access wanted) {
  switch (wanted) {
    case page_access::none:
      return detail::os::access::none;
    case page_access::read_only:
      return detail::os::access::read;
    case page_access::writable:
      break;
  }
  return detail::os::access::write;
}

}  // namespace

protected_resource::protected_resource(protected_options options)
    : range_resource({.who = protected_kind,
                      .limit_bytes = options.limit_bytes,
                      .guards = options.guard_pages,
                      .largest_step = usual_largest_step}) {}

protected_resource::~protected_resource() = default;

void protected_resource::set_access(page_access wanted) {
  if (wanted == access_) return;
  if (usable_bytes() != 0) {
    const int error = detail::os::set_access(begin(), usable_bytes(), system_access(wanted));
    if (error != 0) {
      detail::fail_memory(memory_fault::refused, error, protected_kind,
                          "cannot change the access of %zu bytes", usable_bytes());
    }
  }
  access_ = wanted;
  set_writable(wanted == page_access::writable);
}

void protected_resource::release() noexcept {
  set_access(page_access::writable);
  range_resource::release();
}

int protected_resource::extend(std::byte* p, std::size_t bytes) noexcept {
  return detail::os::make_usable(p, bytes);
}

}  // namespace mallard::inline v1
