// Purpose: advice on a program, from its first run to the last word.
//
//   program_request request;
//   request.command = request.runs = {"./server", "--requests", "10000"};
//   program_advice advice(request);
//   if (const auto report = advice.give()) std::puts(report->advices.front().what.c_str());
//
// The program is timed as it is, and recorded. All candidates and mallocs then race on it, where
// the time allows that (time_plan.hpp). Else replays choose, and the best of them are tried.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "advise/advice.hpp"
#include "advise/advise.hpp"
#include "advise/plain_time.hpp"
#include "advise/time_plan.hpp"
#include "whatif/heap_sampler.hpp"
#include "whatif/program_runner.hpp"
#include "whatif/recorded_run.hpp"

namespace mallard::advise {

struct program_request {
  std::vector<std::string> command;
  std::vector<std::string> runs;  // what is run for it: the command, or what drives it
  bool is_driven = false;
  double ends_after = 0;  // seconds after which each run is ended; 0: it ends by itself
  std::string metric;  // of a number that is written by each run, as of program_runner; empty: none
  bool quick = false;
  double within = 0;  // seconds that it may take, where it is quick; 0: a minute and more
  bool tries = true;  // ways on the program; else replays alone speak
  bool once = false;  // the program runs a single time, to be recorded
  std::uint64_t most_events = 0;  // that are recorded; 0: as many as the time allows
  bool output_aside = false;      // what the recorded run writes goes to standard error
  std::string keep;               // where a copy of the recording goes; empty: nowhere
  // A phase begins. It takes so many seconds at most; 0: nobody knows.
  std::function<void(std::string_view phase, double seconds)> begins;
  // The program has run for long, and nothing is known before it ends.
  std::function<void()> runs_long;
  bool (*interrupted)() = nullptr;
  std::filesystem::path replayer = {};  // what is executed to replay; empty: the one that runs
};

// The program did no heap operation. `what()` says so.
class nothing_requested : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class program_advice {
 public:
  explicit program_advice(program_request request);

  // Not set when it was interrupted. Throws std::runtime_error or lab::usage_error with one line.
  std::optional<advice_report> give();
  // The recording, which is there as long as this is. Only after give().
  const std::string& trace_file() const { return run_.trace; }
  profile::trace_reader& trace() { return *trace_; }

 private:
  bool was_interrupted() const { return request_.interrupted != nullptr && request_.interrupted(); }
  void begin(std::string_view phase, double seconds) const;
  double passed() const;
  std::optional<advice_report> give_once();
  std::optional<advice_report> give_tried();
  void time_it();
  void sample_it();
  profile::record_options recording(double longest) const;
  whatif::recorded_run record_into(const whatif::temporary_folder& folder,
                                   const profile::record_options& options) const;
  bool record(double longest);
  bool record_its_middle(double longest);
  double recorded_share() const;
  std::vector<candidate> candidates_of_middle() const;
  advise_options options();
  void find_whether_runs_compare();
  // None where they are not taken.
  whatif::heap_looks looks() const;
  bool race(advice_report& report);
  void try_the_best(advice_report& report);
  void add_remarks(advice_report& report) const;

  program_request request_;
  std::chrono::steady_clock::time_point start_;
  std::optional<whatif::program_runner> runner_;
  std::optional<whatif::heap_sampler> sampler_;
  bool samples_ = true;    // false: the program would die of it
  bool has_input_ = true;  // false: a pipe brought nothing
  plain_time plain_;
  std::optional<time_plan> plan_;
  whatif::temporary_folder folder_;
  whatif::recorded_run run_;
  std::optional<whatif::temporary_folder> folder_of_middle_;
  std::optional<whatif::recorded_run> middle_;
  std::optional<profile::trace_reader> trace_;
  advise_options options_;
  std::string not_compared_;  // why its runs cannot be; empty: they can
};

// To leave a command as it is, which requests nothing: `why` says so.
advice_report nothing_to_gain(const std::vector<std::string>& command, const std::string& why);
// By replays alone.
advice_report advice_on_trace(profile::trace_reader& trace, bool quick, bool (*interrupted)(),
                              const std::filesystem::path& replayer = {});

}  // namespace mallard::advise
