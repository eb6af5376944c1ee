// Purpose: the only interface to AddressSanitizer, MemorySanitizer and Valgrind. In other builds it
// is empty, except for the check that a program and the library are built alike.
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
#if __has_feature(memory_sanitizer)
#define MALLARD_MSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MALLARD_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define MALLARD_TSAN 1
#endif

// Programs may use a malloc's block beyond the bytes asked for, and not all blocks come by here.
#ifdef MALLARD_NO_ANNOTATIONS
#undef MALLARD_ASAN
#undef MALLARD_TSAN
#undef MALLARD_MSAN
#undef MALLARD_VALGRIND  // an option of the library's build, which its users inherit
#endif

#if defined(MALLARD_ASAN)
#include <sanitizer/asan_interface.h>
#define MALLARD_MARKS_MEMORY 1
#elif defined(MALLARD_MSAN)
#include <sanitizer/msan_interface.h>
#define MALLARD_MARKS_MEMORY 1
#elif defined(MALLARD_VALGRIND)
#include <valgrind/memcheck.h>
#define MALLARD_MARKS_MEMORY 1
#endif

// Code inlined into a program and code in the library must mark the same memory for the same
// sanitizer. So each library defines a symbol named after its kind; when it is missing, the
// linker's message says what is wrong. A program compiled with MALLARD_NO_ANNOTATIONS marks nothing
// and links with a library without sanitizer.
#if defined(MALLARD_ASAN)
#define MALLARD_KIND mallard_must_be_built_with_address_sanitizer_too
#elif defined(MALLARD_TSAN)
#define MALLARD_KIND mallard_must_be_built_with_thread_sanitizer_too
#elif defined(MALLARD_MSAN)
#define MALLARD_KIND mallard_must_be_built_with_memory_sanitizer_too
#elif defined(MALLARD_VALGRIND)
#define MALLARD_KIND mallard_must_be_built_for_valgrind_too
#else
#define MALLARD_KIND mallard_is_built_with_a_sanitizer_and_this_is_not
#endif
// The library's functions use the standard library's types, so that must be the same one too.
#ifdef _LIBCPP_VERSION
#define MALLARD_STANDARD_LIBRARY mallard_must_be_built_with_libcxx_too
#else
#define MALLARD_STANDARD_LIBRARY mallard_must_be_built_with_libstdcxx_too
#endif
extern "C" MALLARD_API const char MALLARD_KIND;
extern "C" MALLARD_API const char MALLARD_STANDARD_LIBRARY;

namespace mallard::inline v1::detail {

#ifndef MALLARD_NO_ANNOTATIONS
// One for each program or shared object; a name that others see would keep plug-ins loaded.
[[gnu::used, gnu::visibility("hidden")]] inline const char* const library_of_the_same_kind[] = {
    &MALLARD_KIND, &MALLARD_STANDARD_LIBRARY};
#endif

// LeakSanitizer, if it is in the program, looks for pointers in this memory, which is not malloc's.
// It skips what is poisoned.
MALLARD_API void begin_leak_scan(const void* p, std::size_t bytes) noexcept;
MALLARD_API void end_leak_scan(const void* p, std::size_t bytes) noexcept;

// Memory is in one of three states. `poison`: nobody may use it. `hand_out`: a user has it and has
// not written to it yet. `unpoison`: the library or its upstream may read and write it.
// MemorySanitizer knows only whether memory was written to.
#if defined(MALLARD_ASAN)
inline void poison(const void* p, std::size_t bytes) noexcept {
  ASAN_POISON_MEMORY_REGION(p, bytes);
}
inline void unpoison(const void* p, std::size_t bytes) noexcept {
  ASAN_UNPOISON_MEMORY_REGION(p, bytes);
}
inline void hand_out(const void* p, std::size_t bytes) noexcept {
  ASAN_UNPOISON_MEMORY_REGION(p, bytes);
}
#elif defined(MALLARD_MSAN)
inline void poison(const void* p, std::size_t bytes) noexcept {
  __msan_poison(p, bytes);
}
inline void unpoison(const void* p, std::size_t bytes) noexcept {
  __msan_unpoison(p, bytes);
}
inline void hand_out(const void* p, std::size_t bytes) noexcept {
  __msan_poison(p, bytes);
}
#elif defined(MALLARD_VALGRIND)
inline void poison(const void* p, std::size_t bytes) noexcept {
  (void)VALGRIND_MAKE_MEM_NOACCESS(p, bytes);
}
inline void unpoison(const void* p, std::size_t bytes) noexcept {
  (void)VALGRIND_MAKE_MEM_DEFINED(p, bytes);
}
inline void hand_out(const void* p, std::size_t bytes) noexcept {
  (void)VALGRIND_MAKE_MEM_UNDEFINED(p, bytes);
}
#else
inline void poison(const void*, std::size_t) noexcept {}
inline void unpoison(const void*, std::size_t) noexcept {}
inline void hand_out(const void*, std::size_t) noexcept {}
#endif

// So many bytes behind every block of a pool or a heap stay poisoned, so that an overrun is seen.
#if defined(MALLARD_ASAN) || defined(MALLARD_VALGRIND)
inline constexpr std::size_t redzone_bytes = 8;
#else
inline constexpr std::size_t redzone_bytes = 0;
#endif

}  // namespace mallard::inline v1::detail
