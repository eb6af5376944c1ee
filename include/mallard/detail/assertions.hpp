// Purpose: assertions, at the level that MALLARD_ASSERTIONS names. Included by config.hpp.
//
//   0  none, and the default: NDEBUG plays no part
//   1  the checks that read only words at hand: no system call, no table
//   2  also those that search for a block's owner, for debugging
//
// A program and the library may have different levels. So nothing that both use depends on the
// level: no type, no layout, no exported name, and the table of known memory (known_memory.hpp) is
// always there. The library's checks have the library's level, inlined code has the program's.
// Functions that are always inlined have no symbol. A header's other functions that check something
// are MALLARD_BY_LEVEL: the level is part of their symbol, as in libc++, so that the linker never
// takes one of another level. Functions of std or of a program that call them have no such tag:
// give all files of a program that share them the same level.
#pragma once

#ifndef MALLARD_ASSERTIONS
#define MALLARD_ASSERTIONS 0
#endif

#define MALLARD_IS_LEVEL_0 1
#define MALLARD_IS_LEVEL_1 1
#define MALLARD_IS_LEVEL_2 1
#define MALLARD_JOIN_2(a, b) a##b
#define MALLARD_JOIN(a, b) MALLARD_JOIN_2(a, b)
#if !MALLARD_JOIN(MALLARD_IS_LEVEL_, MALLARD_ASSERTIONS)
#error "MALLARD_ASSERTIONS is 0, 1 or 2"
#undef MALLARD_ASSERTIONS  // so that nothing else is reported
#define MALLARD_ASSERTIONS 0
#endif

#if MALLARD_ASSERTIONS > 0

#include <cstdio>
#include <cstdlib>

namespace mallard::inline v1::detail {

// Prints one line and aborts. Inline, so that headers that need no library need none for this.
[[noreturn, gnu::cold, gnu::noinline]] inline void assertion_failed(const char* place_and_text,
                                                                    const char* function) noexcept {
  std::fprintf(stderr, "%s, in %s\n", place_and_text, function);
  std::abort();
}

}  // namespace mallard::inline v1::detail

#define MALLARD_TEXT_2(x) #x
#define MALLARD_TEXT(x) MALLARD_TEXT_2(x)
// The condition ends in `&& "what is wrong"`.
#define MALLARD_CHECK(condition)              \
  ((condition)                                \
       ? void()                               \
       : ::mallard::detail::assertion_failed( \
             __FILE__ ":" MALLARD_TEXT(__LINE__) ": assertion failed: " #condition, __func__))
#endif

#if MALLARD_ASSERTIONS == 0
#define MALLARD_BY_LEVEL
#else
#define MALLARD_BY_LEVEL [[gnu::abi_tag("assertions_" MALLARD_TEXT(MALLARD_ASSERTIONS))]]
#endif

// MALLARD_ASSERT is for checks that are cheap, MALLARD_AUDIT for all others.
#if MALLARD_ASSERTIONS >= 1
#define MALLARD_ASSERT(condition) MALLARD_CHECK(condition)
#else
#define MALLARD_ASSERT(condition) static_cast<void>(0)
#endif
#if MALLARD_ASSERTIONS >= 2
#define MALLARD_AUDIT(condition) MALLARD_CHECK(condition)
#else
#define MALLARD_AUDIT(condition) static_cast<void>(0)
#endif
