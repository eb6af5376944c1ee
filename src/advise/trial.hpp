// Advice on the living program: the best are tried by what-if, and what does not hold is dropped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "whatif/program_runner.hpp"
#include "whatif/whatif.hpp"

namespace mallard::advise {

// It was neither tried yet nor found to be impossible to try.
bool can_be_tried(const advice& one);

// A monotonic resource of it served blocks, and never found all of them dead: by hand, what is kept
// would have been left to the malloc.
bool never_ended(const whatif::whatif_outcome& outcome);

struct trial_options {
  std::size_t most = 2;                          // advices that are tried
  bool (*wanted)(const advice&) = can_be_tried;  // of them
  unsigned repetitions = 10;
  bool races = false;      // as of whatif_options
  double time_budget = 0;  // seconds in which repetitions end; 0: no limit
  double last_start = 0;   // seconds after which no run begins; 0: none
  bool with_ideal = true;  // an ideal malloc runs, too: the bound
  std::string library = {};
  whatif::program_runner* runner = nullptr;  // as of whatif_options
  std::optional<whatif::run_figures> as_it_was = {};
  std::optional<whatif::heap_looks> looks = {};  // as of whatif_options
};

// Effects: runs the program many times. What was tried has `tried`, or the reason why it could not
// be in `tried_remark`; neither is tried again. settle() says what follows from that.
void try_on_program(advice_report& report, const std::vector<std::string>& command,
                    const trial_options& options);

// Effects: all of them race on the program; what was tried has `tried`, what could not be is among
// the others with the reason. settle() says what follows from that.
void race_on_program(advice_report& report, const std::vector<std::string>& command,
                     const trial_options& options);

// After a race in which a resource and a malloc gain both.
// Effects: tries the best resource beside the best malloc.
void take_second_look(advice_report& report, const std::vector<std::string>& command,
                      const trial_options& options);
// There is something for that to look at.
bool needs_second_look(const advice_report& report);

// The runs of the program in a round of that race, before any way is behind.
std::size_t runs_of_a_round(const advice_report& report, bool with_ideal = true);

// PATTERN=STRATEGY as `mallard whatif` takes it; empty where there is nothing to route.
std::string route_of(const candidate& one);

}  // namespace mallard::advise
