// The HTML report: one file with everything in it, made from result files.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "profile/views/stack_profile.hpp"

namespace mallard::report {

// Reads the result files, merges them (of the same cell in the same conditions the later file's
// counts) and writes one self-contained page. Throws std::runtime_error with a one-line message
// when an input is bad or the output cannot be written; an existing `out` is then left untouched.
void write_report(std::span<const std::filesystem::path> results, const std::filesystem::path& out);

// The same for one recorded program, with what `mallard advise` says of it, if anything, first.
// Throws as above, and where `interrupted` ends the reading; gives a line for all of the trace that
// could not be read.
std::vector<std::string> write_trace_report(const std::filesystem::path& trace,
                                            const std::filesystem::path& out,
                                            const nlohmann::ordered_json& advice = {},
                                            bool (*interrupted)() = nullptr);

// The page of two recordings: `difference` as `mallard diff --json` says it, and a flame graph of
// each. Throws as above.
void write_difference_report(const nlohmann::ordered_json& difference,
                             const profile::stack_profile& before,
                             const profile::stack_profile& after, const std::filesystem::path& out);

}  // namespace mallard::report
