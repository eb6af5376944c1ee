#include "whatif/heap_sampler.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <system_error>

#include "density/session.hpp"
#include "process/process.hpp"
#include "profile/density.hpp"
#include "whatif/own_library.hpp"

namespace mallard::whatif {

// The memory in which the programs count.
class heap_sampler::shared_counts {
 public:
  shared_counts() {
    const preload::session_file made =
        preload::make_session(density::session_kind, sizeof(density::session));
    if (made.memory == nullptr) process::fail_to_share(sizeof(density::session));
    file_ = made.file;
    counts_ = new (made.memory) density::session{};
    preload::publish(*counts_, density::session_kind, sizeof(density::session));
  }
  ~shared_counts() {
    munmap(counts_, sizeof(density::session));
    close(file_);
  }
  shared_counts(const shared_counts&) = delete;
  shared_counts& operator=(const shared_counts&) = delete;

  std::string path() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }
  const density::session& operator*() const { return *counts_; }

 private:
  int file_ = -1;
  density::session* counts_ = nullptr;
};

heap_sampler::heap_sampler()
    : counts_(std::make_unique<shared_counts>()),
      environment_{{"LD_PRELOAD", preload_of(find_own_library("libmallard-density.so"))},
                   {density::session_kind.variable, counts_->path()}} {}

heap_sampler::~heap_sampler() = default;

std::optional<profile::heap_share> heap_sampler::share() const {
  constexpr std::uint64_t fewest_looks = 20;  // fewer say nothing
  const density::session& counts = **counts_;
  const std::uint64_t looks = counts.looks.load();
  if (looks < fewest_looks) return std::nullopt;
  profile::heap_share out = profile::share_of_looks(counts.in_heap.load(), looks);
  out.measured = true;
  return out;
}

void heap_sampler::go_on(program_runner& runner, const sampling_limits& limits) {
  double passed = 0;
  for (unsigned runs = 0; runs < limits.runs && passed < limits.seconds; ++runs) {
    if ((**counts_).looks.load() >= limits.looks) return;
    if (runner.was_interrupted()) return;
    const run_figures run = runner.run(environment_, false);
    if (run.error != 0) throw std::system_error(run.error, std::generic_category());
    passed += run.seconds;
  }
}

}  // namespace mallard::whatif
