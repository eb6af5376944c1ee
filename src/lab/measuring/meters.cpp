#include "lab/measuring/meters.hpp"

#include <sys/resource.h>
#include <time.h>

#include <cstdio>
#include <memory>

namespace mallard::lab {
namespace {

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using file = std::unique_ptr<std::FILE, closer>;

// Reads a "Name:   123 kB" line of /proc/self/status.
std::uint64_t read_status_bytes(const char* format) {
  const file status(std::fopen("/proc/self/status", "r"));
  if (!status) return 0;
  char line[256];
  while (std::fgets(line, sizeof line, status.get())) {
    unsigned long long kibibytes = 0;
    if (std::sscanf(line, format, &kibibytes) == 1) return kibibytes * 1024;
  }
  return 0;
}

}  // namespace

double read_thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

page_faults read_page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {static_cast<std::uint64_t>(usage.ru_minflt), static_cast<std::uint64_t>(usage.ru_majflt)};
}

std::uint64_t read_resident_bytes() {
  return read_status_bytes("VmRSS: %llu kB");
}

std::uint64_t read_peak_resident_bytes() {
  return read_status_bytes("VmHWM: %llu kB");
}

std::uint64_t read_address_space_bytes() {
  return read_status_bytes("VmSize: %llu kB");
}

bool reset_peak_resident() {
  const file control(std::fopen("/proc/self/clear_refs", "w"));
  return control && std::fputs("5", control.get()) >= 0 && std::fflush(control.get()) == 0;
}

}  // namespace mallard::lab
