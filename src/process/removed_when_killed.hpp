// A file of no use to anybody unless its writer comes to its end.
#pragma once

#include <signal.h>

#include <array>
#include <filesystem>
#include <string>

namespace mallard::process {

// While it lives, SIGINT, SIGTERM and SIGHUP, where they end the process, remove the file first. A
// second one at the same time does nothing.
class removed_when_killed {
 public:
  explicit removed_when_killed(const std::filesystem::path& file);
  ~removed_when_killed();
  removed_when_killed(const removed_when_killed&) = delete;
  removed_when_killed& operator=(const removed_when_killed&) = delete;

 private:
  static constexpr std::array signals_ = {SIGINT, SIGTERM, SIGHUP};
  std::string file_;
  std::array<bool, signals_.size()> is_ours_{};
};

}  // namespace mallard::process
