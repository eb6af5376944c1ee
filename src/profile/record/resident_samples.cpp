#include "profile/record/resident_samples.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace mallard::profile {

resident_samples::resident_samples(std::uint64_t pid)
    : file_(open(("/proc/" + std::to_string(pid) + "/statm").c_str(), O_RDONLY | O_CLOEXEC)),
      page_bytes_(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))) {}

resident_samples::~resident_samples() {
  if (file_ >= 0) close(file_);
}

void resident_samples::take(std::uint64_t time) {
  if (file_ < 0 || time < next_) return;
  char text[128];
  const ssize_t size = pread(file_, text, sizeof text - 1, 0);
  if (size <= 0) return;  // it has ended
  text[size] = '\0';
  char* second = nullptr;
  std::strtoull(text, &second, 10);
  add({time, std::strtoull(second, nullptr, 10) * page_bytes_});
}

void resident_samples::add(const resident_sample& one) {
  if (one.bytes == 0) return;  // the process has ended and is a zombie
  all_.push_back(one);
  if (all_.size() > most) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all_.size(); i += 2) all_[kept++] = all_[i];
    all_.resize(kept);
    interval_ *= 2;
  }
  next_ = one.time + interval_;
}

}  // namespace mallard::profile
