// Stretches of time that follow each other, in groups with enough samples of processor time: few
// samples say nothing of a stretch.
#pragma once

#include <cstddef>

namespace mallard::profile {

// samples_of(i): of the i-th stretch. visit(first, last): a group, to before the last one. The last
// group may have fewer samples.
template <class SamplesOf, class Visit>
void for_each_group(std::size_t stretches, const SamplesOf& samples_of, const Visit& visit) {
  constexpr double enough = 16;
  double samples = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < stretches; ++i) {
    samples += samples_of(i);
    if (samples < enough && i + 1 < stretches) continue;
    visit(first, i + 1);
    first = i + 1;
    samples = 0;
  }
}

}  // namespace mallard::profile
