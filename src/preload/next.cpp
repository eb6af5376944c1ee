#include "preload/next.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

namespace mallard::preload {

void* next_functions[function_count];
alignas(16) unsigned char early_memory[early_bytes];

namespace {

std::atomic<bool> finding{false};
std::atomic<std::size_t> early_used{0};

}  // namespace

void find_next_functions() noexcept {
  if (finding.exchange(true)) return;
  // Looks `malloc` up last: if it is there, all are. Finding it also clears errors of failed
  // lookups; dlerror() would take locks that the caller may hold.
  for (std::size_t i = function_count; i-- != 0;) {
    next_functions[i] = dlsym(RTLD_NEXT, function_symbols[i]);
  }
  finding.store(false);
}

void* early_allocate(std::size_t bytes) noexcept {
  const std::size_t needed = (bytes + 15) & ~std::size_t{15};
  const std::size_t at = early_used.fetch_add(needed);
  return at + needed <= sizeof early_memory ? early_memory + at : nullptr;
}

}  // namespace mallard::preload
