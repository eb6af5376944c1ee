// Purpose: the common parts of the entry points of C: exports, arguments, errors.
#pragma once

#include <errno.h>

#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "malloc/kept_errno.hpp"

// Beside the process's malloc the names have a prefix, and belong to whatever they are linked into.
#ifdef MALLARD_PREFIXED
#define MALLARD_ENTRY extern "C"
#define MALLARD_NAME(of) mallard_##of
#else
#include "malloc/whole_malloc.hpp"
#define MALLARD_ENTRY extern "C" [[gnu::visibility("default")]]
#define MALLARD_NAME(of) of
#endif

// glibc declares its names as noexcept, musl does not; the definitions match.
#ifdef __GLIBC__
#define MALLARD_NOEXCEPT noexcept
#else
#define MALLARD_NOEXCEPT
#endif

namespace mallard::inline v1::detail {

// The bytes of an array; `SIZE_MAX`, which no request can have, when they overflow.
inline std::size_t array_bytes(std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  return __builtin_mul_overflow(count, bytes, &all) ? SIZE_MAX : all;
}

inline void* or_errno(void* p, int error) noexcept {
  if (error == 0) return p;
  errno = error;
  return nullptr;
}

// For functions that must not touch errno, whatever the system does.
template <class Call>
int without_errno(Call&& call) noexcept {
  const kept_errno keep;
  return call();
}

}  // namespace mallard::inline v1::detail
