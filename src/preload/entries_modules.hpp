// dlclose, hooked: an address may mean another function from then on. Included once in a library,
// where its `hook` is known.
#pragma once

#include <dlfcn.h>

#include "preload/caller.hpp"

MALLARD_ENTRY int dlclose(void* handle) noexcept {
  using type = int(void*);
  static type* const next_dlclose = reinterpret_cast<type*>(dlsym(RTLD_NEXT, "dlclose"));
  const int result = next_dlclose(handle);
  hook::unloaded();
  return result;
}
