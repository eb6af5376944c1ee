#include "lab/series_job.hpp"

#include "lab/memory_limit.hpp"
#include "lab/meters.hpp"
#include "lab/private_heap.hpp"

namespace mallard::lab {

basic_outcome<readings> measure_repetition(const series_job& what, std::span<std::byte>) noexcept {
  basic_outcome<readings> result;
  measure_or_fail(result, [&] {
    limit_memory(what.memory_limit);
    if (what.uses_heap) make_heap_private();
    reset_peak_resident();
    std::visit([&](const auto& task) { task.run(task.work, result.measured); }, what.task);
    if (!result.measured.has("rss")) {
      result.measured.add("rss", "B", static_cast<double>(read_peak_resident_bytes()));
    }
  });
  return result;
}

}  // namespace mallard::lab
