// Live bytes over time, by subsystem, and each subsystem's epochs.
//
// Time is divided into stretches. A stretch shows each subsystem's live bytes at the instant with
// the most live bytes in all. So the curve's maximum is the recording's peak, however short that
// was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mallard::profile {

// From the first allocation after an instant without live blocks to the next such instant.
struct time_span {
  std::uint64_t from = 0;  // nanoseconds since the start
  std::uint64_t to = 0;
};

struct subsystem_epochs {
  std::uint64_t count = 0;       // all of them
  std::vector<time_span> shown;  // the first ones, as many as a picture can show
};

struct timeline {
  std::vector<std::uint64_t> times;              // ends of the stretches, nanoseconds
  std::vector<std::string> names;                // subsystems
  std::vector<std::vector<std::uint64_t>> live;  // bytes, by subsystem and stretch
  std::vector<subsystem_epochs> epochs;          // by subsystem
};

// Built from births and deaths in the order of time.
class timeline_builder {
 public:
  static constexpr std::size_t stretches = 240;
  static constexpr std::size_t most_epochs_shown = 400;

  // `duration`: of the whole recording, in nanoseconds.
  timeline_builder(std::vector<std::string> names, std::uint64_t duration);

  void born(std::size_t subsystem, std::uint64_t bytes, std::uint64_t time);
  void died(std::size_t subsystem, std::uint64_t bytes, std::uint64_t time);
  timeline finish();

 private:
  struct state {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
    std::uint64_t epoch_began = 0;
  };

  void advance(std::uint64_t time);
  void note_highest();
  void end_stretch();
  std::uint64_t stretch_end() const;

  std::uint64_t duration_;
  std::vector<state> now_;
  std::uint64_t live_ = 0;     // of all subsystems
  std::uint64_t highest_ = 0;  // of the stretch, as far as noted
  bool noted_ = false;
  std::vector<std::uint64_t> at_highest_;  // by subsystem
  timeline made_;
};

}  // namespace mallard::profile
