// Purpose: the one seam to AddressSanitizer; everything here is empty in other builds.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MALLARD_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MALLARD_ASAN 1
#endif

// A malloc's blocks may be used beyond what was asked for, and not all pass through this seam.
#ifdef MALLARD_NO_ANNOTATIONS
#undef MALLARD_ASAN
#endif

#ifdef MALLARD_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace mallard::inline v1::detail {

#ifdef MALLARD_ASAN
inline void poison(const void* p, std::size_t bytes) noexcept {
  ASAN_POISON_MEMORY_REGION(p, bytes);
}
inline void unpoison(const void* p, std::size_t bytes) noexcept {
  ASAN_UNPOISON_MEMORY_REGION(p, bytes);
}
#else
inline void poison(const void*, std::size_t) noexcept {}
inline void unpoison(const void*, std::size_t) noexcept {}
#endif

}  // namespace mallard::inline v1::detail
