#include "replay/measure.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <new>

#include "lab/measuring/executed.hpp"
#include "lab/measuring/meters.hpp"
#include "lab/measuring/readings.hpp"
#include "process/process.hpp"

namespace mallard::replay {
namespace {

struct replay_work {
  int file;
  std::array<char, 16> strategy;
  std::array<char, 16> library;
  run_setting how;
  bool aged;
  std::uint64_t seed;
};

void stop(std::string_view why) {
  lab::give_up(why);
}

// The growth of the resident set, in a copy of this process whose heap is as clean as this one's.
double read_growth(run_function run, const program_view& what, const run_setting& how) {
  void* const shared =
      mmap(nullptr, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  double& growth = *static_cast<double*>(shared);
  growth = -1;
  const pid_t child = fork();
  if (child == 0) {
    run_setting unhurried = how;
    unhurried.play.thinks = false;
    lab::reset_peak_resident();
    const double before = static_cast<double>(lab::read_resident_bytes());
    try {
      run(what, unhurried, [](std::string_view) { _exit(1); });
      growth = static_cast<double>(lab::read_peak_resident_bytes()) - before;
    } catch (...) {
    }
    _exit(0);
  }
  if (child > 0) process::wait_for(child);
  const double read = growth;
  munmap(shared, sizeof(double));
  return read;
}

void measure(const void* bytes, const lab::circumstances& around, lab::readings& taken) {
  const replay_work& work = *static_cast<const replay_work*>(bytes);
  const run_function run = find_run(work.strategy.data(), work.library.data());
  if (!run) lab::give_up("this program does not have the strategy");
  const program_view what(work.file);
  if (around.hint == 0) {
    const double growth = read_growth(run, what, work.how);
    if (growth > 0) taken.add(replay_memory, growth);
  }
  taken.hint = 1;
  if (work.aged) age_by_sizes(what, work.seed);
  const run_result result = run(what, work.how, stop);
  taken.add(replay_seconds, result.seconds);
  taken.checksum = result.done;
}

const lab::executed_kernel kernel("replay", measure);

template <std::size_t Size>
void copy_name(std::array<char, Size>& to, std::string_view from) {
  from.copy(to.data(), std::min(from.size(), Size - 1));
}

}  // namespace

lab::task make_replay_task(const replay_request& what) {
  if (!find_run(what.strategy, what.library)) return {};
  replay_work work{};
  work.file = what.file;
  copy_name(work.strategy, what.strategy);
  copy_name(work.library, what.library);
  work.how = what.how;
  work.aged = what.aged;
  work.seed = what.seed;
  lab::task made;
  made.name = "replay";
  made.work = lab::bytes_of(work);
  made.prepares_itself = true;
  return made;
}

}  // namespace mallard::replay
