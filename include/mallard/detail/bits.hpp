// Purpose: integer and address arithmetic used by every layer above.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace mallard::inline v1::detail {

// `alignment` is a power of two. Wraps to 0 when the result does not fit.
constexpr std::size_t round_up(std::size_t n, std::size_t alignment) noexcept {
  return (n + (alignment - 1)) & ~(alignment - 1);
}

constexpr std::size_t round_down(std::size_t n, std::size_t alignment) noexcept {
  return n & ~(alignment - 1);
}

constexpr std::size_t divide_up(std::size_t n, std::size_t by) noexcept {
  return (n + by - 1) / by;
}

// Not std::has_single_bit: it counts bits, by a call where the processor may lack the instruction.
constexpr bool is_power_of_two(std::size_t n) noexcept {
  return n != 0 && (n & (n - 1)) == 0;
}

// Instead of <algorithm>, which would be a third of the cost of compiling a resource's header.
template <class T>
constexpr T smaller(T a, T b) noexcept {
  return b < a ? b : a;
}
template <class T>
constexpr T larger(T a, T b) noexcept {
  return a < b ? b : a;
}

inline std::uintptr_t address_of(const void* p) noexcept {
  return reinterpret_cast<std::uintptr_t>(p);
}

// The aligned start of the power-of-two sized region that holds `p`.
template <class T>
inline T* aligned_start(void* p, std::size_t region_bytes) noexcept {
  return reinterpret_cast<T*>(address_of(p) & ~(std::uintptr_t{region_bytes} - 1));
}

// The lowest `n` bits set, for n from 0 to 64.
constexpr std::uint64_t low_bits(unsigned n) noexcept {
  return n == 0 ? 0 : ~std::uint64_t{0} >> (64 - n);
}

}  // namespace mallard::inline v1::detail
