// A contender: a strategy with a library's resources, on a malloc, with a heap in some condition.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mallard::lab {

// The "peer" of strategies without a library's resources.
inline constexpr std::string_view global_peer = "global";
inline constexpr std::string_view system_malloc = "glibc";

// The kind of process that measures a cell.
enum class process_kind {
  forked,    // a copy of a process in the right condition
  executed,  // a program started with a library preloaded
};

struct contender {
  std::string strategy = "AS1";       // "AS1".."AS14", "AS3n".., "sync", "v2", "heap"
  std::string peer{global_peer};      // "global", "mallard", "std", "boost"
  std::string heap = "clean";         // or "aged"
  std::string malloc{system_malloc};  // or the name of a preloaded library
  std::filesystem::path library;      // the preloaded file; empty: none
  process_kind process = process_kind::forked;
};

// "AS7@mallard": a strategy's name where libraries are mixed.
std::string column_name(std::string_view strategy, std::string_view peer);

}  // namespace mallard::lab
