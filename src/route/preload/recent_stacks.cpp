#include "route/preload/recent_stacks.hpp"

namespace mallard::route {

bool recent_stack::note(const preload::frame_state& at, const preload::stack_walk& walk) noexcept {
  const bool again = ip_ == at.ip && sp_ == at.sp;
  scope.route = 0;
  forget();
  ip_ = at.ip;
  sp_ = at.sp;
  bp_ = at.bp;
  bp_mask_ = walk.is_found_by_register() ? ~std::uint64_t{0} : 0;
  return again && walk.frames() > 1;
}

void recent_stack::keep(const preload::stack_walk& walk, std::size_t words,
                        std::uint32_t marks) noexcept {
  for (std::size_t i = 0; i < words; ++i) {
    const auto found = walk.return_of(i);
    words_[i] = {reinterpret_cast<const std::uint64_t*>(found.place), found.value};
  }
  farthest_ = walk.return_of(words - 1).place;
  if (words % 2 != 0) {
    words_[words] = words_[words - 1];
    ++words;
  }
  count_ = static_cast<std::uint32_t>(words);
  marks_ = marks;
}

}  // namespace mallard::route
