// Fuzzes one resource, that of the row `fuzzed_resource`, which each program names for itself: the
// input is a program of its verbs, which is run against the model. A broken promise aborts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "conformance/families.hpp"
#include "support/model.hpp"
#include "support/require.hpp"

extern const char* const fuzzed_resource;

namespace {

conformance::resource_case fuzzed_case() {
  for (const auto& candidate : conformance::our_cases()) {
    if (candidate.name == fuzzed_resource) return candidate;
  }
  std::fprintf(stderr, "there is no resource %s\n", fuzzed_resource);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const conformance::resource_case what = fuzzed_case();
  mallard_test::choices decide(data, size);
  try {
    mallard_test::run_random_program(what, decide);
  } catch (const mallard_test::check_failure& e) {
    std::fprintf(stderr, "%s: %s\n", what.name.c_str(), e.what());
    std::abort();
  }
  return 0;
}
