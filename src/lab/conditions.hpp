// The processes that a run of the bench forks its measurements from.
#pragma once

#include <memory>
#include <string_view>

#include "lab/plan.hpp"
#include "lab/zygote.hpp"

namespace mallard::lab {

// One process for each condition that the plan needs.
class conditions {
 public:
  // Throws std::runtime_error when one cannot be prepared.
  explicit conditions(const density_plan& plan);

  zygote& choose(std::string_view heap, const strategy& how);

 private:
  bool paper_;
  std::unique_ptr<zygote> clean_;
  std::unique_ptr<zygote> aged_;
};

}  // namespace mallard::lab
