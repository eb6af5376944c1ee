// Purpose: the recorded entry points, each with the original function of the same name. It has
// every name of exports.map that allocates or frees.
#pragma once

#include <cstddef>
#include <cstdint>

// X(identifier, symbol)
#define MALLARD_HOOKED_FUNCTIONS(X)                                  \
  X(malloc, "malloc")                                                \
  X(free, "free")                                                    \
  X(calloc, "calloc")                                                \
  X(realloc, "realloc")                                              \
  X(reallocarray, "reallocarray")                                    \
  X(memalign, "memalign")                                            \
  X(aligned_alloc, "aligned_alloc")                                  \
  X(posix_memalign, "posix_memalign")                                \
  X(valloc, "valloc")                                                \
  X(pvalloc, "pvalloc")                                              \
  X(cfree, "cfree")                                                  \
  X(free_sized, "free_sized")                                        \
  X(free_aligned_sized, "free_aligned_sized")                        \
  X(libc_malloc, "__libc_malloc")                                    \
  X(libc_free, "__libc_free")                                        \
  X(libc_calloc, "__libc_calloc")                                    \
  X(libc_realloc, "__libc_realloc")                                  \
  X(libc_memalign, "__libc_memalign")                                \
  X(libc_valloc, "__libc_valloc")                                    \
  X(libc_pvalloc, "__libc_pvalloc")                                  \
  X(libc_posix_memalign, "__posix_memalign")                         \
  X(new_one, "_Znwm")                                                \
  X(new_array, "_Znam")                                              \
  X(new_aligned, "_ZnwmSt11align_val_t")                             \
  X(new_array_aligned, "_ZnamSt11align_val_t")                       \
  X(new_nothrow, "_ZnwmRKSt9nothrow_t")                              \
  X(new_array_nothrow, "_ZnamRKSt9nothrow_t")                        \
  X(new_aligned_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t")       \
  X(new_array_aligned_nothrow, "_ZnamSt11align_val_tRKSt9nothrow_t") \
  X(delete_one, "_ZdlPv")                                            \
  X(delete_array, "_ZdaPv")                                          \
  X(delete_sized, "_ZdlPvm")                                         \
  X(delete_array_sized, "_ZdaPvm")                                   \
  X(delete_aligned, "_ZdlPvSt11align_val_t")                         \
  X(delete_array_aligned, "_ZdaPvSt11align_val_t")                   \
  X(delete_sized_aligned, "_ZdlPvmSt11align_val_t")                  \
  X(delete_array_sized_aligned, "_ZdaPvmSt11align_val_t")            \
  X(delete_nothrow, "_ZdlPvRKSt9nothrow_t")                          \
  X(delete_array_nothrow, "_ZdaPvRKSt9nothrow_t")                    \
  X(delete_aligned_nothrow, "_ZdlPvSt11align_val_tRKSt9nothrow_t")   \
  X(delete_array_aligned_nothrow, "_ZdaPvSt11align_val_tRKSt9nothrow_t")

namespace mallard::preload {

enum class function : std::uint8_t {
#define MALLARD_IDENTIFIER(identifier, symbol) identifier,
  MALLARD_HOOKED_FUNCTIONS(MALLARD_IDENTIFIER)
#undef MALLARD_IDENTIFIER
};

constexpr bool is_new(function which) {
  return which >= function::new_one && which <= function::new_array_aligned_nothrow;
}
constexpr bool is_delete(function which) {
  return which >= function::delete_one;
}

inline constexpr const char* function_symbols[] = {
#define MALLARD_SYMBOL(identifier, symbol) symbol,
    MALLARD_HOOKED_FUNCTIONS(MALLARD_SYMBOL)
#undef MALLARD_SYMBOL
};
inline constexpr std::size_t function_count = sizeof function_symbols / sizeof *function_symbols;

}  // namespace mallard::preload
