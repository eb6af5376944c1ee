#include "whatif/heap_sampler.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <system_error>

#include "density/session.hpp"
#include "profile/density.hpp"
#include "whatif/own_library.hpp"

namespace mallard::whatif {
namespace {

// The memory in which the programs count.
class shared_counts {
 public:
  shared_counts() {
    const preload::session_file made =
        preload::make_session(density::session_kind, sizeof(density::session));
    if (made.memory == nullptr) {
      throw std::system_error(errno, std::generic_category(),
                              "no memory to share with the program");
    }
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

}  // namespace

std::optional<profile::heap_share> measure_heap_share(program_runner& runner,
                                                      const sampling_limits& limits) {
  const shared_counts counts;
  const std::vector<std::pair<std::string, std::string>> environment = {
      {"LD_PRELOAD", preload_of(find_own_library("libmallard-density.so"))},
      {density::session_kind.variable, counts.path()}};
  double passed = 0;
  for (unsigned runs = 0; runs < limits.runs; ++runs) {
    if (runs > 0 && passed >= limits.seconds) break;
    if (limits.interrupted && limits.interrupted()) return std::nullopt;
    const run_figures run = runner.run(environment, false);
    if (run.error != 0) throw std::system_error(run.error, std::generic_category());
    passed += run.seconds;
    if ((*counts).looks.load() >= limits.looks) break;
  }
  const std::uint64_t looks = (*counts).looks.load();
  if (looks < limits.fewest_looks) return std::nullopt;
  profile::heap_share out = profile::share_of_looks((*counts).in_heap.load(), looks);
  out.measured = true;
  return out;
}

}  // namespace mallard::whatif
