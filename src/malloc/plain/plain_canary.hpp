// Purpose: stands for the hardened build's canaries, which the plain build has not.
#pragma once

#include <cstddef>

namespace mallard::inline v1::detail {

// A block is larger than its request by so much.
inline constexpr std::size_t canary_bytes = 0;

struct kept_canary {
  constexpr kept_canary(void*, std::size_t) noexcept {}
};

}  // namespace mallard::inline v1::detail
