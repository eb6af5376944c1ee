// A hook for dlclose: from then on an address may mean another function. A library includes this
// once, where its `hook` is known.
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
