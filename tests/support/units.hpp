// Sizes in bytes.
#pragma once

#include <cstddef>

namespace mallard_test {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

}  // namespace mallard_test
