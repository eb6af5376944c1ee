#include "mallard/memory/mapped.hpp"

#include <cerrno>
#include <cstring>

#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/os/mapping.hpp"

namespace mallard::inline v1 {
namespace {

constexpr const char* mapped_kind = "mapped_resource";

}  // namespace

mapped_resource::mapped_resource(mapped_options options)
    : range_resource({.who = mapped_kind,
                      .limit_bytes = options.limit_bytes,
                      .step_bytes = options.step_bytes,
                      .guards = options.guard_pages,
                      .largest_step = usual_largest_step}),
      options_(options) {
  if (options.name == nullptr) return;
  const std::size_t length = std::strlen(options.name);
  bool printable = length != 0 && length < sizeof name_;
  for (const char* c = options.name; printable && *c != '\0'; ++c) {
    printable = *c > 0x1f && *c < 0x7f && std::strchr("[]\\$`", *c) == nullptr;
  }
  if (!printable) {
    detail::fail_memory(memory_fault::bad_name, EINVAL, mapped_kind,
                        "no kernel takes the name '%.80s'", options.name);
  }
  std::memcpy(name_, options.name, length + 1);
}

mapped_resource::~mapped_resource() = default;

int mapped_resource::extend(std::byte* p, std::size_t bytes) noexcept {
  int error = detail::os::make_usable(p, bytes);
  if (error != 0) return error;
  if (name_[0] != '\0') named_ = detail::os::name(p, bytes, name_) == 0;
  if (options_.populate) error = detail::os::fill(p, bytes);
  if (options_.lock && error == 0) error = detail::os::lock(p, bytes);
  if (error != 0) detail::os::make_unusable(p, bytes);
  return error;
}

mapped_report mapped_resource::obtained() const noexcept {
  return {.usable_bytes = usable_bytes(),
          .resident_bytes = detail::os::resident_bytes(begin(), usable_bytes()),
          .locked_bytes = options_.lock ? usable_bytes() : 0,
          .named = named_};
}

}  // namespace mallard::inline v1
