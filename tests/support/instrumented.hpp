// Whether a sanitizer watches this build: then loads are smaller and instructions are not counted.
#pragma once

namespace mallard_test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool instrumented = true;
#elif defined(__has_feature)
inline constexpr bool instrumented = __has_feature(address_sanitizer) ||
                                     __has_feature(thread_sanitizer) ||
                                     __has_feature(memory_sanitizer);
#else
inline constexpr bool instrumented = false;
#endif

}  // namespace mallard_test
