// The speed at which a trace is analysed: events in a second of reading alone, of `mallard dims`,
// and of what a report finds, with the most memory each took. One thread decodes ahead of the one
// that analyses: with two cores to itself it takes as long as the busier of them is busy, which is
// what is counted here, so that what else the machine does matters little; and beside it both
// together.
//
//   mallard_profile_events TRACE [ROUNDS]
//
// Each round runs in a process of its own, so that its peak is its own; the fastest round counts.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "measured.hpp"
#include "profile/analysis.hpp"
#include "profile/sites.hpp"
#ifdef MALLARD_HAS_VIEWS
#include "profile/views/trace_views.hpp"
#endif

namespace {

using mallard::bench::now;
using mallard::profile::trace_reader;

struct measured {
  double seconds = 0;  // of the busier thread
  double both = 0;     // of the two together
  std::uint64_t events = 0;
  std::uint64_t peak_blocks = 0;
  long peak_kib = 0;
};

// The most blocks that were alive at once.
std::uint64_t most_live(trace_reader& trace) {
  std::uint64_t live = 0, most = 0;
  auto events = trace.events();
  for (mallard::profile::recorded one; events.next(one);) {
    if (one.sample || one.what.function == mallard::profile::resource_function) continue;
    using kind = mallard::profile::event_kind;
    const bool again = one.what.kind == kind::reallocate;
    const bool failed = again && one.what.address == 0 && one.what.size != 0;
    if (failed) continue;
    const bool dies = one.what.kind == kind::free || (again && one.what.old_address != 0);
    const bool born = (one.what.kind == kind::allocate || again) && one.what.address != 0;
    if (dies && live > 0) --live;
    if (born) ++live;
    if (live > most) most = live;
  }
  return most;
}

void read(trace_reader& trace) {
  auto events = trace.events();
  for (mallard::profile::recorded one; events.next(one);) continue;
}

void dims(trace_reader& trace) {
  mallard::profile::analyse(trace, mallard::profile::function_table(trace));
}

#ifdef MALLARD_HAS_VIEWS
void report(trace_reader& trace) {
  using namespace mallard::profile;
  const function_table functions(trace);
  trace_analysis analysis(trace, functions, {});
  view_maker views(trace, functions, analysis.shown_subsystems(7));
  site_counter sites(trace, functions);
  block_watcher* const also[] = {&views, &sites};
  analysis.finish(also);
  views.take(sites.weights(), least_drawn_share);
  sites.list(false);
}
#endif

measured run_alone(const char* path, void (*work)(trace_reader&)) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    measured one;
    try {
      const double start = now();
      const double own_start = now(CLOCK_THREAD_CPUTIME_ID);
      trace_reader trace(path);
      work(trace);
      one.both = (now() - start) / 1e9;
      const double own = (now(CLOCK_THREAD_CPUTIME_ID) - own_start) / 1e9;
      one.seconds = std::max(own, one.both - own);
      rusage used{};
      getrusage(RUSAGE_SELF, &used);
      one.peak_kib = used.ru_maxrss;
      one.events = trace.event_count();
      one.peak_blocks = most_live(trace);
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "%s\n", problem.what());
      _exit(1);
    }
    _exit(write(ends[1], &one, sizeof one) == sizeof one ? 0 : 1);
  }
  close(ends[1]);
  measured one;
  const bool whole = ::read(ends[0], &one, sizeof one) == sizeof one;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!whole || status != 0) throw std::runtime_error("a round failed");
  return one;
}

void show(const char* name, const char* path, int rounds, void (*work)(trace_reader&)) {
  measured best;
  for (int i = 0; i < rounds; ++i) {
    const measured one = run_alone(path, work);
    if (i == 0 || one.seconds < best.seconds) best = one;
  }
  const double bytes = static_cast<double>(best.peak_kib) * 1024;
  const double allowed = 200.0 * static_cast<double>(best.peak_blocks) + 64.0 * 1024 * 1024;
  const auto rate = [&](double seconds) {
    return static_cast<double>(best.events) / seconds / 1e6;
  };
  std::printf("%-8s %10.2f %10.2f %12.1f %14.1f\n", name, rate(best.seconds), rate(best.both),
              bytes / 1e6, allowed / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: mallard_profile_events TRACE [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc == 3 ? std::atoi(argv[2]) : 5;
  if (rounds < 1) {
    std::fprintf(stderr, "at least one round\n");
    return 2;
  }
  try {
    std::printf("%-8s %10s %10s %12s %14s\n", "what", "events/us", "one core", "peak MB",
                "goal, MB");
    show("reading", argv[1], rounds, read);
    show("dims", argv[1], rounds, dims);
#ifdef MALLARD_HAS_VIEWS
    show("report", argv[1], rounds, report);
#endif
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
