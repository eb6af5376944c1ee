#include "whatif/heap_sampler.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
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
      library_(find_own_library("libmallard-density.so")),
      environment_{{"LD_PRELOAD", preload_of(library_)},
                   {density::session_kind.variable, counts_->path()}} {}

heap_sampler::~heap_sampler() = default;

process::environment heap_sampler::beside(process::environment others) const {
  for (auto& [name, value] : others) {
    if (name == "LD_PRELOAD") value = library_ + ':' + value;
  }
  others.push_back(environment_.back());
  return others;
}

heap_looks heap_sampler::looks() const {
  const density::session& counts = **counts_;
  return {counts.looks.load(), counts.in_heap.load()};
}

std::optional<profile::heap_share> heap_sampler::share() const {
  constexpr std::uint64_t fewest_looks = 20;  // fewer say nothing
  const heap_looks found = looks();
  if (found.all < fewest_looks) return std::nullopt;
  profile::heap_share out = profile::share_of_looks(found.in_heap, found.all);
  out.measured = true;
  return out;
}

bool heap_sampler::has_killed(int status) {
  return WIFSIGNALED(status) && WTERMSIG(status) == density::samples_signal;
}

bool heap_sampler::go_on(program_runner& runner, const sampling_limits& limits) {
  double passed = 0;
  for (unsigned runs = 0; runs < limits.runs && passed < limits.seconds; ++runs) {
    if (looks().all >= limits.looks || runner.was_interrupted()) break;
    const run_figures run = runner.run(environment_, false);
    if (run.error != 0) throw std::system_error(run.error, std::generic_category());
    if (has_killed(run.status)) return false;
    passed += run.seconds;
  }
  return true;
}

}  // namespace mallard::whatif
