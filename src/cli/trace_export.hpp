// A trace, or a profile of DHAT's, in the formats of other tools.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/views/stack_profile.hpp"

namespace mallard::cli {

inline const std::vector<std::string> trace_formats = {"collapsed", "speedscope", "pprof",
                                                       "perfetto",  "csv",        "sqlite"};

// `to`: one of these; `weight`: of collapsed stacks. Prints what was written. Throws usage_error
// where the file has not what the format needs, std::runtime_error for files.
int export_profile(const std::filesystem::path& from, const std::string& to,
                   const profile::weight_kind& weight, const std::filesystem::path& out);

// Whether the file is one that export_profile reads.
bool is_profile(const std::filesystem::path& file);

}  // namespace mallard::cli
