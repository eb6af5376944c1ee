#include "malloc/malloc_pages.hpp"

namespace mallard::inline v1::detail {

constinit malloc_pages the_pages;

void malloc_pages::set_most_kept(std::size_t bytes) noexcept {
  budget.set_most_kept(bytes);
  for (large_space& space : spaces) space.keep_to_budget();
  huge.kept.keep_to_budget();
  supply.keep_to_budget();
}

void malloc_pages::decay() noexcept {
  for (large_space& space : spaces) space.decay();
  huge.kept.decay();
  supply.decay();
}

bool malloc_pages::trim() noexcept {
  for (large_space& space : spaces) space.trim();
  const bool has_unmapped = huge.kept.trim() != 0;
  return supply.trim() != 0 || has_unmapped;
}

futex_lock& malloc_pages::lock_at(std::size_t i) noexcept {
  if (i < space_count) return spaces[i].purge_lock();
  if (i < 2 * space_count) return spaces[i - space_count].lock();
  if (i == 2 * space_count) return huge.kept.lock();
  return supply.lock_at(i - 2 * space_count - 1);
}

}  // namespace mallard::inline v1::detail
