#include "replay/replay.hpp"

#include <algorithm>
#include <chrono>

#include "lab/measuring/usage_error.hpp"
#include "replay/session.hpp"

namespace mallard::replay {
namespace {

using clock = std::chrono::steady_clock;

// The lab calls a plain function between and during repetitions.
struct stopping {
  clock::time_point end = clock::time_point::max();
  clock::time_point latest = clock::time_point::max();  // the end while there is no figure yet
  bool (*interrupted)() = nullptr;
  bool has_none = false;
};
thread_local stopping when;

bool is_over() {
  if (when.interrupted && when.interrupted()) return true;
  return clock::now() >= (when.has_none ? when.latest : when.end);
}

// Replays subsystem by subsystem; each gets its part of the remaining time. The first touch level
// of the first two is replayed once in all that remains, or however long it takes.
void run_in_time(const replay_session& session, const replay_options& options,
                 clock::time_point start, lab::bench_events& events) {
  constexpr std::size_t needed = 2;
  const clock::time_point end = start + std::chrono::duration_cast<clock::duration>(
                                            std::chrono::duration<double>(options.budget_seconds));
  const clock::time_point latest = options.must_tell ? clock::time_point::max() : end;
  const std::vector<lab::planned_place>& places = session.plan().places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const clock::time_point now = clock::now();
    if ((i >= needed || !options.must_tell) && now >= end) return;
    const auto left = std::max(end - now, clock::duration::zero());
    when = {now + left / static_cast<int>(places.size() - i), latest, options.interrupted,
            i < needed};
    events.step = [&](const lab::progress& so_far) {
      if (so_far.done * options.repetitions >= so_far.total) when.has_none = false;
    };
    lab::bench_plan part = session.plan();
    part.places = {places[i]};
    run_replay(session, part, {}, events);
    if (options.interrupted && options.interrupted()) return;
  }
}

}  // namespace

std::vector<replay_outcome> replay(profile::trace_reader& trace, const replay_options& options) {
  try {
    const clock::time_point start = clock::now();
    const replay_session session(trace, options);
    std::vector<lab::cell_result> cells;
    lab::bench_events events;
    events.cell = [&](const lab::cell_result& one) { cells.push_back(one); };
    events.step = [](const lab::progress&) {};
    events.interrupted = is_over;
    if (options.budget_seconds > 0) {
      run_in_time(session, options, start, events);
    } else {
      when = {};
      when.interrupted = options.interrupted;
      run_replay(session, session.plan(), {}, events);
    }
    return session.outcomes(cells);
  } catch (const replay_error& wrong) {
    throw lab::usage_error(wrong.what());
  }
}

}  // namespace mallard::replay
