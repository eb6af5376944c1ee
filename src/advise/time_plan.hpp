// The plan of `mallard advise` for its time: with --quick three times the program's own and 65
// seconds, in which one of two seconds is run often enough to prove the best; with --within as long
// as the user says, else ten times and five minutes, whatever other work makes each of its runs
// take. Where all ways can be tried in it, they race on the program. Else replays choose what is
// tried: the trial comes first of what time is kept for, and replays get what that leaves. Where
// both would not fit, the recorded run is ended early.
#pragma once

#include <cstddef>

namespace mallard::advise {

struct trial_plan {
  unsigned most = 0;             // ways that are tried at once; 0: there is no time for any
  bool runs_as_it_is = true;     // beside them; else it counts how long the program took before
  double seconds_of_rounds = 0;  // in which they end
};

class time_plan {
 public:
  // `program_seconds`: from its start to its end. `undisturbed`: the same on a machine of its own.
  // `within`: seconds that all of it may take; 0: as --quick, or without it, says.
  time_plan(double program_seconds, double undisturbed, bool quick = true, double within = 0)
      : program_(program_seconds), undisturbed_(undisturbed), quick_(quick), within_(within) {}

  // All of it.
  double seconds() const;
  // After which the recorded run is ended, when so many seconds have passed.
  double recording_seconds(double passed) const;
  // Tells the plan how long it took to read the trace: writing the page reads it again.
  void has_read_in(double seconds) { reading_ = seconds; }
  // When so many seconds have passed, no run of the program begins.
  double last_start() const;
  // Whether there is time to time the program again after the replays.
  bool times_again() const;
  // For replays, when so many seconds have passed.
  double replay_seconds(double passed) const;
  // Whether that is enough for figures.
  bool can_replay(double passed) const;
  // Whether it also leaves time to try a resource afterwards.
  bool can_try_after_replays(double passed) const;
  // Seconds of a race of so many runs in a round at first, when so many have passed; 0: its ways
  // cannot all be compared so many times. In the last half of a round are those that gain most.
  double race_seconds(double passed, std::size_t runs, double least_rounds = 1.5) const;
  // Leaves some of a race's seconds for a second look, if the race has rounds enough without them.
  double without_second_look(double race, std::size_t runs) const;
  // Whether so many ways can be compared well where most send all of the program's heap operations,
  // so many, to a resource.
  bool has_time_for(double passed, std::size_t runs, double operations) const;
  // `needs_hook`: the best is a resource, for which the program also runs with the hook alone and
  // on our malloc.
  trial_plan trial(double passed, bool needs_hook) const;

 private:
  double left(double passed) const;
  // Takes reading the trace again into account, for the page.
  double page_seconds() const;
  // The least seconds of a phase: fewer than `usual` where the user says a short time.
  double least(double usual) const;

  double program_;
  double undisturbed_;
  bool quick_;
  double within_;
  double reading_ = 0;
};

}  // namespace mallard::advise
