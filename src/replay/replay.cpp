#include "replay/replay.hpp"

#include <chrono>

#include "lab/measuring/usage_error.hpp"
#include "replay/session.hpp"

namespace mallard::replay {
namespace {

using clock = std::chrono::steady_clock;

// What the lab asks between repetitions is a plain function.
struct stopping {
  clock::time_point end = clock::time_point::max();
  bool (*interrupted)() = nullptr;
};
thread_local stopping when;

bool is_over() {
  return clock::now() >= when.end || (when.interrupted && when.interrupted());
}

}  // namespace

std::vector<replay_outcome> replay(profile::trace_reader& trace, const replay_options& options) {
  try {
    const replay_session session(trace, options);
    when = {clock::time_point::max(), options.interrupted};
    if (options.budget_seconds > 0) {
      when.end = clock::now() + std::chrono::duration_cast<clock::duration>(
                                    std::chrono::duration<double>(options.budget_seconds));
    }
    std::vector<lab::cell_result> cells;
    lab::bench_events events;
    events.cell = [&](const lab::cell_result& one) { cells.push_back(one); };
    events.step = [](const lab::progress&) {};
    events.interrupted = is_over;
    run_replay(session, {}, events);
    return session.outcomes(cells);
  } catch (const replay_error& wrong) {
    throw lab::usage_error(wrong.what());
  }
}

}  // namespace mallard::replay
