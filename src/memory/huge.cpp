#include "mallard/memory/huge.hpp"

#include <cerrno>

#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/os/mapping.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1 {
namespace {

namespace os = detail::os;

constexpr const char* huge_kind = "huge_resource";
constexpr std::size_t gigantic_page_bytes = std::size_t{1} << 30;

huge_options with_known_pages(const huge_options& options) {
  if (options.page_bytes != os::huge_page_bytes && options.page_bytes != gigantic_page_bytes) {
    detail::fail_memory(memory_fault::bad_limit, EINVAL, huge_kind, "pages of %zu bytes",
                        options.page_bytes);
  }
  if (options.wanted < options.accepted) {
    detail::fail_memory(memory_fault::bad_limit, EINVAL, huge_kind,
                        "less is wanted than is accepted");
  }
  return options;
}

std::size_t page_bytes_of_options(const huge_options& options) {
  return options.wanted == page_kind::explicit_huge ? options.page_bytes : os::huge_page_bytes;
}

// Puts memory behind each huge page and checks that it is one, maybe after telling the system.
int insist_on_huge_pages(std::byte* p, std::size_t bytes) noexcept {
  if (const int error = os::fill(p, bytes)) return error;
  for (std::size_t i = 0; i < bytes; i += os::huge_page_bytes) {
    if (os::page_bytes_behind(p + i) == os::huge_page_bytes) continue;
    if (const int error = os::collapse(p + i, os::huge_page_bytes)) return error;
    if (os::page_bytes_behind(p + i) != os::huge_page_bytes) return ENOMEM;
  }
  return 0;
}

}  // namespace

huge_resource::huge_resource(huge_options options)
    : range_resource({.who = huge_kind,
                      .limit_bytes = options.limit_bytes,
                      .alignment = page_bytes_of_options(with_known_pages(options))}),
      options_(options) {}

huge_resource::~huge_resource() = default;

int huge_resource::extend_transparent(std::byte* p, std::size_t bytes) const noexcept {
  int error = os::make_usable(p, bytes);
  if (error != 0 || options_.wanted == page_kind::small) return error;
  error = os::ask_for_huge_pages(p, bytes);
  if (options_.accepted == page_kind::small) return 0;
  if (error == 0) error = insist_on_huge_pages(p, bytes);
  if (error != 0) os::make_unusable(p, bytes);
  return error;
}

int huge_resource::extend(std::byte* p, std::size_t bytes) noexcept {
  if (options_.wanted != page_kind::explicit_huge) return extend_transparent(p, bytes);
  const int error = os::make_usable_of_huge_pages(p, bytes, options_.page_bytes);
  if (error == 0) return 0;
  // A mapping that was refused may have ended the reservation there.
  if (const int lost = os::make_unusable(p, bytes)) return lost;
  return options_.accepted == page_kind::explicit_huge ? error : extend_transparent(p, bytes);
}

std::size_t huge_resource::page_bytes_of(const void* p) const noexcept {
  return owns(p) ? os::page_bytes_behind(p) : 0;
}

huge_report huge_resource::obtained() const noexcept {
  huge_report report;
  const std::size_t step = os::huge_page_bytes;
  for (std::size_t i = 0; i < usable_bytes(); i += step) {
    const std::size_t page = os::page_bytes_behind(begin() + i);
    if (page == 0) {
      report.untouched_bytes += step;
    } else if (page == os::page_size()) {
      report.small_bytes += step;
    } else if (os::is_of_explicit_huge_pages(begin() + i)) {
      report.explicit_bytes += step;
    } else {
      report.transparent_bytes += step;
    }
  }
  return report;
}

}  // namespace mallard::inline v1
