// Counts that scripts under bench/ print, as a result file like any other.
#pragma once

#include <filesystem>
#include <string>

namespace mallard::cli {

// Whether its first line is one of counts: "resource multipool pairs_direct_allocate instructions
// 5", or "malloc glibc malloc-24 instructions 20".
bool is_counts(const std::filesystem::path& file);

// A cell of the bench "counts" for each of who and what; returns how many. Throws
// std::runtime_error with one line for a file that is not as it should be, before anything is
// written.
std::size_t import_counts(const std::filesystem::path& file, const std::filesystem::path& out,
                          const std::string& command_line);

}  // namespace mallard::cli
