// Fuzzes the resources for many threads: the input is a program of threads that take turns. A block
// that another overwrites, or that is lost on its way, aborts.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "support/choices.hpp"
#include "support/require.hpp"
#include "support/stepped_resource.hpp"

namespace {

template <class Resource>
void run(mallard_test::choices& decide) {
  mallard_test::stepped_resource<Resource> subject;
  mallard_test::run_stepped_program(subject, subject.sizes, decide);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mallard_test::choices decide(data, size);
  try {
    if (decide.below(2) == 0) {
      run<mallard::synchronized_multipool_resource>(decide);
    } else {
      run<mallard::synchronized_heap_resource>(decide);
    }
  } catch (const mallard_test::check_failure& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::abort();
  }
  return 0;
}
