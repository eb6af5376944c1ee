// The processes that a run of a bench forks its measurements from.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lab/zygote.hpp"

namespace mallard::lab {

// One process for each condition that is needed.
class conditions {
 public:
  // `heaps`: "clean", "aged" or both. As the original has it: with its one buffer and a heap that
  // has not settled, and a clean heap beside whatever is asked for.
  // Throws std::runtime_error when one cannot be prepared.
  explicit conditions(std::span<const std::string> heaps, bool as_the_original = false);

  zygote& choose(std::string_view heap) { return heap == "clean" ? *clean_ : *aged_; }

 private:
  std::unique_ptr<zygote> clean_;
  std::unique_ptr<zygote> aged_;
};

}  // namespace mallard::lab
