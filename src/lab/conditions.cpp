#include "lab/conditions.hpp"

#include "lab/plan.hpp"

namespace mallard::lab {

conditions::conditions(std::span<const std::string> heaps, bool as_the_original) {
  const std::size_t buffer = as_the_original ? max_buffer_bytes : 0;
  for (const std::string& heap : heaps) {
    if (!clean_ && (heap == "clean" || as_the_original)) {
      clean_ = std::make_unique<zygote>(heap_state::clean, buffer);
    }
    if (heap == "aged") {
      const auto state = as_the_original ? heap_state::aged_unsettled : heap_state::aged;
      aged_ = std::make_unique<zygote>(state, buffer);
    }
  }
}

}  // namespace mallard::lab
