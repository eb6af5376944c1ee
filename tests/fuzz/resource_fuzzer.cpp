// Fuzzes the resources: the input is a program of their verbs, run against the model.
//
//   MALLARD_FUZZ_RESOURCE="multipool_resource" resource_fuzzer corpus/
//
// Without the variable the first byte picks the resource. A broken promise aborts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "conformance/families.hpp"
#include "support/model.hpp"
#include "support/require.hpp"

namespace {

std::vector<conformance::resource_case> chosen_cases() {
  std::vector<conformance::resource_case> all = conformance::our_cases();
  const char* const name = std::getenv("MALLARD_FUZZ_RESOURCE");
  if (name == nullptr) return all;
  for (const auto& candidate : all) {
    if (candidate.name == name) return {candidate};
  }
  std::fprintf(stderr, "resource_fuzzer: there is no resource '%s'; there are:\n", name);
  for (const auto& candidate : all) std::fprintf(stderr, "  %s\n", candidate.name.c_str());
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto cases = chosen_cases();
  if (size == 0) return 0;
  const auto& what = cases[data[0] % cases.size()];
  mallard_test::choices decide(data + 1, size - 1);
  try {
    mallard_test::run_random_program(what, decide);
  } catch (const mallard_test::check_failure& e) {
    std::fprintf(stderr, "%s: %s\n", what.name.c_str(), e.what());
    std::abort();
  }
  return 0;
}
