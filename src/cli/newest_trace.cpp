#include "cli/newest_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/profile_text.hpp"
#include "cli/usage_error.hpp"
#include "profile/import/open_trace.hpp"

namespace mallard::cli {
namespace {

namespace fs = std::filesystem;

// Among traces of the same age the first by name counts.
std::string newest_trace() {
  std::vector<std::pair<fs::file_time_type, std::string>> files;
  std::error_code stop, unknown;
  for (fs::directory_iterator at(".", stop); !stop && at != fs::directory_iterator();
       at.increment(stop)) {
    if (!at->is_regular_file(unknown)) continue;
    const fs::file_time_type written = at->last_write_time(unknown);
    if (!unknown) files.emplace_back(written, at->path().filename().string());
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  const auto found = std::find_if(files.begin(), files.end(),
                                  [](const auto& one) { return profile::is_trace(one.second); });
  return found == files.end() ? std::string() : found->second;
}

}  // namespace

std::string trace_or_newest(const std::string& named) {
  if (!named.empty()) return named;
  const std::string found = newest_trace();
  if (found.empty()) {
    throw usage_error(
        "no trace is named, and the current directory has none; mallard record -- COMMAND makes "
        "one");
  }
  fmt::print(stderr, "mallard: reads {}, the newest trace here\n", fitted(found, found.size()));
  return found;
}

std::unique_ptr<profile::trace_reader> open_trace(const std::string& path) {
  profile::opened_trace opened = profile::open_trace(path);
  warn(opened.imported.problems);
  opened.trace->interrupted_by(was_interrupted);
  return std::move(opened.trace);
}

std::vector<std::string> words_or_newest_trace(const std::vector<std::string>& words,
                                               bool is_command) {
  if (!words.empty()) return words;
  if (is_command) throw usage_error("there is no command after --");
  return {trace_or_newest("")};
}

}  // namespace mallard::cli
