#include "lab/conditions.hpp"

namespace mallard::lab {

conditions::conditions(const density_plan& plan) : paper_(plan.choices == mode::paper) {
  const std::size_t buffer = paper_ ? max_buffer_bytes : 0;
  for (const std::string& heap : plan.heaps) {
    // The original measures all but AS1 and AS2 on a clean heap, whatever the heap of those two.
    if (!clean_ && (heap == "clean" || paper_)) {
      clean_ = std::make_unique<zygote>(heap_state::clean, buffer);
    }
    if (heap == "aged") {
      const auto state = paper_ ? heap_state::aged_unsettled : heap_state::aged;
      aged_ = std::make_unique<zygote>(state, buffer);
    }
  }
}

zygote& conditions::choose(std::string_view heap, const strategy& how) {
  const bool clean = heap == "clean" || (paper_ && how.what != mechanism::global);
  return clean ? *clean_ : *aged_;
}

}  // namespace mallard::lab
