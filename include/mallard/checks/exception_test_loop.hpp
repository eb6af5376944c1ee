// Purpose: runs code again and again, failing its 0th, 1st, 2nd... allocation, until it gets
// through. This proves that the code keeps its promises whichever allocation fails.
//
//   mallard::test_resource memory;
//   mallard::exception_test_loop(memory, [](mallard::test_resource& r) {
//     my_container things(&r);
//     things.fill();
//   });  // reports a leak if a failed run leaves a block behind
//
// Complexity: n + 1 runs for code that allocates n times. Thread-safety: the code may use threads,
// but nothing else may use the resource meanwhile.
//
// Source of the idea: `exception_test_loop` of P1160 and
// BSLMA_TESTALLOCATOR_EXCEPTION_TEST_BEGIN/END of Bloomberg's BDE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "mallard/checks/test_resource.hpp"

#ifdef __cpp_exceptions  // without them there is nothing to test

namespace mallard::inline v1 {

enum class failing {
  once,          // only the n-th allocation fails, the later ones succeed
  from_then_on,  // the n-th and all later ones fail, as when memory is exhausted
};

// Effects: for n = 0, 1, 2...: makes allocation n fail and calls run(resource); if that ends in
// std::bad_alloc, calls after_failure(). Stops after the first run in which no allocation failed.
// In the end the resource fails nothing.
// Returns: the number of runs, at least 1.
// Errors: any exception of `run` that the loop did not cause, and any exception of after_failure.
template <class Run, class AfterFailure>
std::size_t exception_test_loop(test_resource& resource, Run&& run, AfterFailure&& after_failure,
                                failing mode = failing::once) {
  // Disarms on every exit, so that the caller's cleanup cannot fail.
  struct disarm {
    test_resource& resource;
    ~disarm() { resource.never_fail(); }
  } const guard{resource};

  for (std::uint64_t n = 0;; ++n) {
    if (mode == failing::once) {
      resource.fail_at(n);
    } else {
      resource.fail_after(n);
    }
    bool completed = false;
    try {
      run(resource);
      completed = true;
    } catch (const std::bad_alloc&) {
      if (resource.failures() == 0) throw;  // not ours
    }
    const bool nothing_failed = resource.failures() == 0;
    resource.never_fail();
    // Code may survive a failure by a fallback of its own: then go on to the next allocation.
    if (nothing_failed) return static_cast<std::size_t>(n) + 1;
    if (!completed) after_failure();
  }
}

// Effects: as above. After every failed run and after the last one, reports blocks that were
// allocated since the start and are still in use as a leak.
template <class Run>
std::size_t exception_test_loop(test_resource& resource, Run&& run, failing mode = failing::once) {
  const std::uint64_t before = resource.counts().allocations;
  const auto report_leaks = [&] { resource.report_leaks(before); };
  const std::size_t runs = exception_test_loop(resource, run, report_leaks, mode);
  report_leaks();
  return runs;
}

}  // namespace mallard::inline v1

#endif
