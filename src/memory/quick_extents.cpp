#include "mallard/detail/memory/quick_extents.hpp"

#include <algorithm>
#include <utility>

namespace mallard::inline v1::detail {

void quick_extents::start(std::byte* base, std::size_t limit_bytes) noexcept {
  tree_.start(base, limit_bytes);
  waiting_bytes_ = 0;
  most_waiting_ = limit_bytes / 32;
  std::ranges::fill(lists_, nullptr);
}

void* quick_extents::take_of_tree(std::size_t bytes, std::size_t alignment) noexcept {
  if (void* const p = tree_.take(bytes, alignment)) return p;
  return join() ? tree_.take(bytes, alignment) : nullptr;
}

bool quick_extents::join() noexcept {
  if (waiting_bytes_ == 0) return false;
  waiting_bytes_ = 0;
  for (std::size_t list = 0; list < list_count; ++list) {
    waiting* block = std::exchange(lists_[list], nullptr);
    while (block != nullptr) {
      unpoison(block, sizeof(waiting));
      waiting* const next = block->next;
      tree_.give(block, (list + 1) << tree_.granule_shift());
      block = next;
    }
  }
  return true;
}

}  // namespace mallard::inline v1::detail
