// Fuzzes the malloc's engine: the input is a program of threads that take turns. A block that
// another overwrites, or that is lost on its way, aborts.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "malloc/stepped_engine.hpp"
#include "support/choices.hpp"
#include "support/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mallard_test::choices decide(data, size);
  try {
    malloc_test::stepped_engine engine;
    mallard_test::run_stepped_program(engine, malloc_test::stepped_engine::sizes, decide);
  } catch (const mallard_test::check_failure& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::abort();
  }
  return 0;
}
