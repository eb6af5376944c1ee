// A trace, or a profile of DHAT's, in the formats of other tools.
#pragma once

#include <filesystem>
#include <string>

namespace mallard::cli {

// `to`: collapsed, speedscope, pprof, perfetto, csv or sqlite; `weight`: of collapsed stacks.
// Prints what was written. Throws usage_error for words that are none of these, std::runtime_error
// for files.
int export_profile(const std::filesystem::path& from, const std::string& to,
                   const std::string& weight, const std::filesystem::path& out);

// Whether the file is one that export_profile reads.
bool is_profile(const std::filesystem::path& file);

}  // namespace mallard::cli
