#include "mallard/detail/resources/growing_blocks.hpp"

#include <algorithm>
#include <numeric>

#include "mallard/detail/bits.hpp"

namespace mallard::inline v1::detail {

sized_block growing_blocks::allocate_expandable(std::size_t minimum, std::size_t preferred,
                                                std::size_t alignment) {
  MALLARD_ASSERT(is_power_of_two(alignment));
  void* p = nullptr;
  try {
    p = allocate(std::max(minimum, preferred), alignment, true);
  } catch (...) {
    if (preferred <= minimum) throw;
    p = allocate(minimum, alignment, true);
  }
  return {p, payload_bytes(p)};
}

std::size_t growing_blocks::try_expand(void* p, [[maybe_unused]] std::size_t old,
                                       std::size_t minimum, std::size_t preferred) noexcept {
  MALLARD_ASSERT(old <= payload_bytes(p));
  ++counts_.expansions_tried;
  const std::size_t now = expand(p, minimum, std::max(minimum, preferred));
  if (now != 0) ++counts_.expansions_done;
  return now;
}

sized_block growing_blocks::try_expand_backward(void* p, [[maybe_unused]] std::size_t old,
                                                std::size_t minimum, std::size_t preferred,
                                                std::size_t element) noexcept {
  MALLARD_ASSERT(old <= payload_bytes(p));
  ++counts_.backward_tried;
  const std::size_t step = std::lcm(std::max<std::size_t>(element, 1), std::size_t{16});
  void* const front = expand_backward(p, minimum, std::max(minimum, preferred), step);
  if (front == nullptr) return {nullptr, 0};
  ++counts_.backward_done;
  return {front, payload_bytes(front)};
}

std::size_t growing_blocks::shrinkable_to(void* p, [[maybe_unused]] std::size_t old,
                                          std::size_t maximum,
                                          std::size_t preferred) const noexcept {
  const std::size_t can = fit_heap::shrunk(p, std::min(preferred, maximum));
  return can <= maximum ? can : 0;
}

std::size_t growing_blocks::shrink(void* p, std::size_t old, std::size_t maximum,
                                   std::size_t preferred) noexcept {
  if (shrinkable_to(p, old, maximum, preferred) == 0) return 0;
  return array_space::shrink(p, std::min(preferred, maximum));
}

sized_block growing_blocks::remap_without_copy(void* p, std::size_t old,
                                               std::size_t bytes) noexcept {
  if (bytes <= old) return {p, array_space::shrink(p, bytes)};
  if (const std::size_t now = try_expand(p, old, bytes, bytes)) return {p, now};
  void* const moved = move(p, old, bytes);
  return {moved, moved == nullptr ? 0 : payload_bytes(moved)};
}

}  // namespace mallard::inline v1::detail
