// The JSON document that the page of a recorded program shows.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profile/result.hpp"
#include "profile/trace/facts.hpp"
#include "profile/views/trace_views.hpp"

namespace mallard::report {

// Facts about the file, beside what is found in it.
struct trace_file {
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;
  std::vector<profile::site> sites;  // by function
};

// The output of `mallard dims --json` (docs/dims.md) as far as it is drawn, and "schema", "notes",
// "recording", "functions", "flame", "timeline", "lifetimes", "activity", "addresses", "top", read
// by report/src/trace. The same trace gives the same document, byte for byte.
nlohmann::ordered_json make_trace_model(const profile::dims_result& dims,
                                        const profile::trace_views& views,
                                        const profile::trace_facts& facts, const trace_file& file);

// {"schema", "made_by", "difference", "flames" (of before and after), "functions"}.
nlohmann::ordered_json make_difference_model(const nlohmann::ordered_json& difference,
                                             const profile::stack_profile& before,
                                             const profile::stack_profile& after);

}  // namespace mallard::report
