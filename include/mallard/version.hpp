// Purpose: the version of Mallard, for `#if` and for programs.
//
//   #include "mallard/version.hpp"
//   #if MALLARD_VERSION < 100  // 0.1.0
//   #error "this needs Mallard 0.1 or later"
//   #endif
//   const char* text = MALLARD_VERSION_STRING;
//
// Before 1.0 a new minor version may change names; a new patch version changes none. Complexity and
// thread-safety: macros.
#pragma once

#define MALLARD_VERSION_MAJOR 0
#define MALLARD_VERSION_MINOR 1
#define MALLARD_VERSION_PATCH 0
#define MALLARD_VERSION_STRING "0.1.0"

// 10000 for each major version, 100 for each minor one.
#define MALLARD_VERSION \
  (MALLARD_VERSION_MAJOR * 10000 + MALLARD_VERSION_MINOR * 100 + MALLARD_VERSION_PATCH)
