#include "lab/malloc_work/work_process.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "lab/helper_process.hpp"
#include "lab/malloc_work/kernels.hpp"

namespace mallard::lab {
namespace {

void note_library(malloc_readings& taken) {
  Dl_info where{};
  const void* found = dlsym(RTLD_DEFAULT, "malloc");
  if (!found || dladdr(found, &where) == 0 || !where.dli_fname) return;
  std::strncpy(taken.library.data(), where.dli_fname, taken.library.size() - 1);
}

void run(const malloc_job& job, own_memory& own, malloc_readings& taken) {
  switch (job.bench) {
    case malloc_bench::churn:
      return malloc_work::churn(job, own, taken);
    case malloc_bench::thrash:
      return malloc_work::thrash(job, own, taken);
    case malloc_bench::scratch:
      return malloc_work::scratch(job, own, taken);
    case malloc_bench::speed:
      return malloc_work::speed(job, own, taken);
    case malloc_bench::memory:
      return malloc_work::memory(job, own, taken);
    case malloc_bench::larson:
      return malloc_work::larson(job, own, taken);
    case malloc_bench::remote_free:
      return malloc_work::remote_free(job, own, taken);
    case malloc_bench::mixed:
      return malloc_work::mixed(job, own, taken);
  }
}

// Not so when somebody else starts the program with that word.
bool channel_is_there() {
  struct stat status{};
  return fstat(malloc_work_channel, &status) == 0 && S_ISSOCK(status.st_mode);
}

// Neither is on the stack, and both are there before anything runs.
malloc_job job;
malloc_outcome outcome;

}  // namespace

void malloc_work::give_up(std::string_view why) {
  static std::atomic<bool> said{false};
  // The first one ends the process for all.
  while (said.exchange(true)) pause();
  outcome.fail(why);
  write_all(malloc_work_channel, &outcome, sizeof outcome);
  _exit(0);
}

bool is_malloc_work(int argc, const char* const* argv) {
  return argc == 2 && argv[1] == malloc_work_word;
}

int serve_malloc_work() {
  if (!channel_is_there() || !read_all(malloc_work_channel, &job, sizeof job)) {
    std::fputs("mallard: --malloc-work is for processes that mallard starts itself\n", stderr);
    return 2;
  }
  note_library(outcome.measured);
  measure_or_fail(outcome, [] {
    own_memory own;
    run(job, own, outcome.measured);
  });
  write_all(malloc_work_channel, &outcome, sizeof outcome);
  _exit(0);  // what the malloc would do at the end is none of ours
}

}  // namespace mallard::lab
