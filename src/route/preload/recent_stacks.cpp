#include "route/preload/recent_stacks.hpp"

#include <algorithm>

namespace mallard::route {

bool recent_stack::note(const unwind::frame_state& at, const preload::stack_walk& walk) noexcept {
  const bool again = ip_ == at.ip && sp_ == at.sp;
  rest_->scope.route = 0;
  forget();
  ip_ = at.ip;
  sp_ = at.sp;
  bp_ = at.bp;
  bp_mask_ = walk.is_found_by_register() ? ~std::uint64_t{0} : 0;
  return again && walk.frames() > 1;
}

void recent_stack::keep(const preload::stack_walk& walk, std::size_t words,
                        const stack_answer& answer) noexcept {
  const std::size_t count = (words + step - 1) / step * step;
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = walk.return_of(std::min(i, words - 1));
    rest_->words[i / 2].places[i % 2] = reinterpret_cast<const std::uint64_t*>(found.place);
    rest_->words[i / 2].values[i % 2] = found.value;
  }
  farthest_ = walk.return_of(words - 1).place;
  count_ = static_cast<std::uint32_t>(count);
  answer_ = answer;
}

}  // namespace mallard::route
