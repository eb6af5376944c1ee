#include "mallard/detail/core/annotate.hpp"

// Defined by a sanitizer that is in the program, whatever the library was built with.
extern "C" {
[[gnu::weak]] void __lsan_register_root_region(const void* p, std::size_t bytes);
[[gnu::weak]] void __lsan_unregister_root_region(const void* p, std::size_t bytes);
}

constexpr char MALLARD_KIND = 1;
constexpr char MALLARD_STANDARD_LIBRARY = 1;

namespace mallard::inline v1::detail {

void begin_leak_scan(const void* p, std::size_t bytes) noexcept {
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(p, bytes);
}

void end_leak_scan(const void* p, std::size_t bytes) noexcept {
  if (__lsan_unregister_root_region != nullptr) __lsan_unregister_root_region(p, bytes);
}

}  // namespace mallard::inline v1::detail
