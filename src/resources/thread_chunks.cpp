#include "mallard/detail/resources/thread_chunks.hpp"

#include <algorithm>

namespace mallard::inline v1::detail {

void thread_chunks::fill(unsigned chunk_class) {
  // Taken in address order and handed out from the top: reversed, the lowest address goes first.
  const unsigned wanted = std::max(1u, depths[chunk_class] / 2u);
  auto& stack = chunks_[chunk_class];
  const unsigned taken = shared_.take_small(chunk_class, stack.data(), wanted);
  std::reverse(stack.begin(), stack.begin() + taken);
  counts_[chunk_class] = static_cast<std::uint8_t>(taken);
}

void thread_chunks::spill(unsigned chunk_class, unsigned count) noexcept {
  if (count == 0) return;
  auto& stack = chunks_[chunk_class];
  shared_.give_small(chunk_class, stack.data(), count);
  std::copy(stack.begin() + count, stack.begin() + counts_[chunk_class], stack.begin());
  counts_[chunk_class] = static_cast<std::uint8_t>(counts_[chunk_class] - count);
}

}  // namespace mallard::inline v1::detail
