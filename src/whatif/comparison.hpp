// The figures of an experiment's ways, compared with the program as it is, once they ran.
//
// The time of a routed run has a part that a program written with the resource would not take: the
// hook's. A control run takes it, too, on our malloc; by as much as it is slower than the program
// on that malloc is subtracted. Where a resource and a malloc serve in turns, the turns of one run
// say by how much the program is faster with the resource, and nothing is subtracted. Beside the
// hook, the program's own work is slower, too, and so is its malloc: as much less is saved without
// the hook. All are compared with the program in the same round: a host that slows the machine for
// a while slows the neighbours in a round alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "whatif/contender.hpp"
#include "whatif/gain.hpp"

namespace mallard::whatif {

// One thread does all the work, or threads that wait for each other.
bool is_of_one_thread(const std::vector<run_figures>& plain);
// Gains are, where one thread does all the work or others work on the machine: it is disturbed
// less.
bool is_by_processor_time(const std::vector<run_figures>& plain);

class comparison {
 public:
  // `all`: the program as it is first, which ran; they must outlive this. `seed`: of bootstraps.
  comparison(const std::vector<contender>& all, std::uint64_t seed);

  // Gains are by processor time; else by elapsed time, where several threads work.
  bool is_by_processor_time() const { return time_ == &run_figures::processor_seconds; }
  // By which the control is slower than the program on its malloc.
  double hook_seconds(const contender& control) const;
  // How many times as fast a way makes the program; nothing where that cannot be told.
  std::optional<gain_of_rounds> gain(const contender& one) const;
  // How many times as long its runs are as what is left of them, at this gain.
  double times_what_is_left(const contender& one, double gain) const;
  bool is_slower(const contender& one, const contender& other) const {
    return median_of(one.runs, time_) > median_of(other.runs, time_);
  }
  // `needs_runs`: the more is subtracted, the more runs it takes to have a figure.
  whatif_outcome outcome(const contender& one, bool needs_runs) const;

 private:
  std::size_t rounds_of_control(const contender& control) const;
  // A part of the program's time, and half of its median's 95 % interval.
  struct share {
    double median = 0, noise = 0;
  };
  // By which the control is slower than the program on its malloc; none: it did not run.
  share hook_share(const contender& control) const;
  // By which a way in turns is faster than the program on its malloc, of that one's time; not set:
  // its turns do not tell.
  std::optional<share> saved_share(const contender& one) const;
  // How many times as long the program's own work takes beside the hook: both share the caches, and
  // what its malloc takes, and a resource saves, is as much longer. 1: not known.
  double slower_by_hook(const contender& one) const;
  // `saved`: the share of the time that a way seems to save. Returns: the share that it saves.
  double believed(const contender& one, double saved) const;
  interval_of_runs interval(const std::vector<double>& values) const;
  std::vector<round_times> rounds_of(const contender& one) const;
  std::string why_no_figure(const contender& one, const whatif_outcome& found,
                            bool needs_runs) const;
  std::optional<metric_of_runs> metric_of(const contender& one) const;
  double metric_by_hook(const contender& one, std::size_t round) const;
  double memory_of(const contender& one) const;

  const std::vector<contender>& all_;
  std::uint64_t seed_;
  double run_figures::* time_;
};

}  // namespace mallard::whatif
