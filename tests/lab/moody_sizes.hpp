// What the moody malloc does with blocks of certain sizes.
#pragma once

namespace mallard_test {

inline constexpr unsigned crashing_size = 12345;
inline constexpr unsigned hanging_size = 12346;
inline constexpr unsigned refused_size = 12347;

}  // namespace mallard_test
