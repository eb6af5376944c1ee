// Sizes at which the moody malloc does as their names say.
#pragma once

namespace mallard_test {

inline constexpr unsigned crashing_size = 12345;
inline constexpr unsigned hanging_size = 12346;
inline constexpr unsigned refused_size = 12347;

}  // namespace mallard_test
