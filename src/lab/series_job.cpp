#include "lab/series_job.hpp"

#include <exception>
#include <new>

#include "lab/memory_limit.hpp"
#include "lab/meters.hpp"
#include "lab/private_heap.hpp"

namespace mallard::lab {

basic_outcome<readings> measure_repetition(const series_job& what, std::span<std::byte>) noexcept {
  basic_outcome<readings> result;
  try {
    limit_memory(what.memory_limit);
    if (what.uses_heap) make_heap_private();
    reset_peak_resident();
    std::visit([&](const auto& task) { task.run(task.work, result.measured); }, what.task);
    result.measured.add("rss", "B", static_cast<double>(read_peak_resident_bytes()));
  } catch (const std::bad_alloc&) {
    result.fail("out of memory");
  } catch (const std::exception& problem) {
    result.fail(problem.what());
  } catch (...) {
    result.fail("an exception of unknown type");
  }
  return result;
}

}  // namespace mallard::lab
