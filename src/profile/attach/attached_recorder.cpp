#include "profile/attach/attached_recorder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace mallard::profile {

attached_recorder::attached_recorder(pid_t pid, std::string library,
                                     std::function<void()> waits_long)
    : process_(pid, std::move(waits_long)), library_(std::move(library)) {
  if (!path_of_recorded(pid).empty() && process_.has_library(library_)) {
    throw std::runtime_error("process " + std::to_string(pid) +
                             " was started by `mallard record` and has its hooks already");
  }
  struct stat owner{};
  if (stat(("/proc/" + std::to_string(pid)).c_str(), &owner) == 0 && owner.st_uid != geteuid()) {
    throw std::runtime_error("process " + std::to_string(pid) +
                             " runs as another user, who cannot open the recording");
  }
}

void attached_recorder::begin(const session_memory& memory) {
  modules_ = process_.modules();
  process_.call(library_, "mallard_record_attach", memory.path());
  if (!memory.has_process(static_cast<std::uint32_t>(process_.pid()))) {
    std::string why = " is being recorded already, or has no room for a recording";
    if (process_.has_fewer_rights()) {
      why += ", or may not open the recording: it has fewer capabilities than this command";
    }
    throw std::runtime_error("process " + std::to_string(process_.pid()) + why);
  }
}

void attached_recorder::look_for_modules(const session_memory& memory) {
  // The dynamic linker links a module some time after it maps it, so wait for two equal readings.
  const std::uint64_t now = process_.modules();
  if (now == latest_ && now != modules_) {
    modules_ = now;
    memory->module_changes.fetch_add(1, std::memory_order_release);
  }
  latest_ = now;
}

void attached_recorder::end() {
  if (process_.is_there()) process_.call(library_, "mallard_record_detach", "");
}

}  // namespace mallard::profile
