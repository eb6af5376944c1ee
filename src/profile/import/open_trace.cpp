#include "profile/import/open_trace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "process/removed_when_killed.hpp"
#include "process/temporary_place.hpp"
#include "profile/import/call_log.hpp"
#include "profile/import/heaptrack.hpp"
#include "profile/import/summed_profile.hpp"
#include "profile/trace/symbolizer.hpp"

namespace mallard::profile {
namespace {

// A new file, deleted with this object; who has opened it by then may go on reading.
class temporary_file {
 public:
  temporary_file() {
    path_ = (process::temporary_place() / "mallard-import-XXXXXX").string();
    const int file = mkostemp(path_.data(), O_CLOEXEC);
    if (file < 0) throw std::runtime_error(process::no_temporary_file(path_, std::strerror(errno)));
    close(file);
    removed_.emplace(path_);
  }
  ~temporary_file() { unlink(path_.c_str()); }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::optional<process::removed_when_killed> removed_;
};

}  // namespace

bool is_importable(const std::string& path) {
  return is_call_log(path) || is_heaptrack(path);
}

import_result import_trace(const std::string& from, const std::string& to) {
  return is_call_log(from) ? import_call_log(from, to) : import_heaptrack(from, to);
}

opened_trace open_trace(const std::string& path) {
  opened_trace out;
  // A pipe gives what it has only once; the reader of traces refuses it.
  const bool may_be_other = std::filesystem::is_regular_file(path) && !is_trace(path);
  if (may_be_other && is_importable(path)) {
    const temporary_file made;
    out.imported = import_trace(path, made.path());
    out.trace = std::make_unique<trace_reader>(made.path());
  } else if (may_be_other && is_summed_profile(path)) {
    throw std::runtime_error(path +
                             ": has sums by stack, not operations; top, dims, diff, report "
                             "and export read it");
  } else {
    out.trace = std::make_unique<trace_reader>(path);
  }
  if (!out.trace->is_whole() && out.trace->event_count() + out.trace->sample_count() == 0) {
    throw std::runtime_error(path + ": unfinished or damaged, and none of its events is readable");
  }
  find_missing_symbols(*out.trace);
  return out;
}

}  // namespace mallard::profile
