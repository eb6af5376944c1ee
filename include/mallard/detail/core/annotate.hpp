// Purpose: the one seam to AddressSanitizer; everything here is empty in other builds, but for what
// keeps a program from being linked with a library of the other kind.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MALLARD_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define MALLARD_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MALLARD_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define MALLARD_TSAN 1
#endif

// A malloc's blocks may be used beyond what was asked for, and not all pass through this seam.
#ifdef MALLARD_NO_ANNOTATIONS
#undef MALLARD_ASAN
#undef MALLARD_TSAN
#endif

#ifdef MALLARD_ASAN
#include <sanitizer/asan_interface.h>
#endif

// What is inlined in a program and what is in the library have to mark the same memory, and to hand
// it over under the eyes of the same sanitizer. A library has the name of its kind; a linker that
// does not find the one that a program asks for says what is wrong. A program that is compiled with
// MALLARD_NO_ANNOTATIONS marks nothing, and goes with a library without sanitizer.
#if defined(MALLARD_ASAN)
#define MALLARD_KIND mallard_must_be_built_with_address_sanitizer_too
#elif defined(MALLARD_TSAN)
#define MALLARD_KIND mallard_must_be_built_with_thread_sanitizer_too
#else
#define MALLARD_KIND mallard_is_built_with_a_sanitizer_and_this_is_not
#endif
extern "C" MALLARD_API const char MALLARD_KIND;

namespace mallard::inline v1::detail {

#ifndef MALLARD_NO_ANNOTATIONS
// One for each program or shared object; a name that others see would keep plug-ins loaded.
[[gnu::used, gnu::visibility("hidden")]] inline const char* const library_of_the_same_kind =
    &MALLARD_KIND;
#endif

// Makes LeakSanitizer look for pointers in memory that is not malloc's, and no more; where it is
// not in the program, nothing. What is marked as free does not count.
MALLARD_API void begin_leak_scan(const void* p, std::size_t bytes) noexcept;
MALLARD_API void end_leak_scan(const void* p, std::size_t bytes) noexcept;

// Behind every block of a pool or a heap so many bytes stay marked, for an overrun to be seen.
#ifdef MALLARD_ASAN
inline constexpr std::size_t redzone_bytes = 8;

inline void poison(const void* p, std::size_t bytes) noexcept {
  ASAN_POISON_MEMORY_REGION(p, bytes);
}
inline void unpoison(const void* p, std::size_t bytes) noexcept {
  ASAN_UNPOISON_MEMORY_REGION(p, bytes);
}
#else
inline constexpr std::size_t redzone_bytes = 0;

inline void poison(const void*, std::size_t) noexcept {}
inline void unpoison(const void*, std::size_t) noexcept {}
#endif

}  // namespace mallard::inline v1::detail
