#include "lab/mallocs/own_meters.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>

namespace mallard::lab::mallocs {
namespace {

class opened_file {
 public:
  explicit opened_file(const char* path, int flags = O_RDONLY)
      : file_(open(path, flags | O_CLOEXEC)) {}
  ~opened_file() {
    if (file_ >= 0) close(file_);
  }
  opened_file(const opened_file&) = delete;
  opened_file& operator=(const opened_file&) = delete;

  // The next piece; empty at the end.
  template <std::size_t Size>
  std::string_view read_into(std::array<char, Size>& buffer) const {
    const ssize_t length = file_ < 0 ? 0 : read(file_, buffer.data(), buffer.size());
    return {buffer.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
  }
  void put(char what) const { [[maybe_unused]] const auto ignored = write(file_, &what, 1); }

 private:
  int file_;
};

// "VmHWM:   123 kB"
std::uint64_t read_status_bytes(std::string_view name) {
  std::array<char, 4096> buffer;
  std::string_view text = opened_file("/proc/self/status").read_into(buffer);
  const auto at = text.find(name);
  if (at == text.npos) return 0;
  text.remove_prefix(at + name.size());
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  std::uint64_t kibibytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), kibibytes);
  return kibibytes * 1024;
}

std::uint64_t without_own(std::uint64_t resident, const own_memory& own) {
  const std::uint64_t ours = own.resident_bytes();
  return resident > ours ? resident - ours : 0;
}

// The program's own file, as the kernel names it in the maps.
std::string_view program_path() {
  static std::array<char, 4096> path;
  static const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

std::uint64_t resident_bytes(const own_memory& own) {
  return without_own(read_status_bytes("\nVmRSS:"), own);
}

std::uint64_t peak_resident_bytes(const own_memory& own) {
  return without_own(read_status_bytes("\nVmHWM:"), own);
}

void restart_peak() {
  opened_file("/proc/self/clear_refs", O_WRONLY).put('5');
}

address_space read_address_space(const own_memory& own) {
  maps_reader reader(program_path(), reinterpret_cast<std::uintptr_t>(own.begin()),
                     reinterpret_cast<std::uintptr_t>(own.end()));
  const opened_file maps("/proc/self/maps");
  std::array<char, 16384> buffer;
  for (std::string_view text = maps.read_into(buffer); !text.empty();
       text = maps.read_into(buffer)) {
    reader.feed(text);
  }
  return reader.result();
}

processor_seconds read_processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {seconds(usage.ru_utime), seconds(usage.ru_stime)};
}

}  // namespace mallard::lab::mallocs
