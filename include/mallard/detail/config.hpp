// Purpose: the few things every other header needs: the language, visibility, hints, assertions.
#pragma once

#include "mallard/detail/assertions.hpp"
#include "mallard/version.hpp"

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "Mallard needs C++20: compile with -std=c++20 or later"
#include "mallard needs -std=c++20 or later"  // nothing that follows would help
#endif

#if __SIZEOF_POINTER__ < 8
#error "Mallard needs addresses of 64 bits"
#include "mallard needs 64 bits"  // as above
#endif

// A copy inside a plug-in (the target mallard::embedded) hides its names, as does the malloc, which
// is called by the names of C.
#if defined(MALLARD_EMBEDDED) || defined(MALLARD_HIDDEN)
#define MALLARD_API [[gnu::visibility("hidden")]]
#else
#define MALLARD_API [[gnu::visibility("default")]]
#endif
// Such a copy keeps its thread-local variables out of the few bytes that a process has for
// libraries loaded after its start. Elsewhere they are found without a call, even from a shared
// library.
#ifdef MALLARD_EMBEDDED
#define MALLARD_STATIC_TLS
#else
#define MALLARD_STATIC_TLS [[gnu::tls_model("initial-exec")]]
#endif
#define MALLARD_ALWAYS_INLINE [[gnu::always_inline]] inline
#define MALLARD_COLD [[gnu::cold, gnu::noinline]]

// The result must not outlive such an argument; clang warns where it sees that.
#if defined(__clang__)
#define MALLARD_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define MALLARD_LIFETIMEBOUND
#endif

namespace mallard::inline v1::detail {

// Whether this code may be unloaded before the process ends.
#ifdef MALLARD_EMBEDDED
inline constexpr bool is_embedded = true;
#else
inline constexpr bool is_embedded = false;
#endif

}  // namespace mallard::inline v1::detail
