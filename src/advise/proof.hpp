// A trial on the living program decides over what was predicted.
//
// Advice that gained nothing there is no advice any more; among what did, the trial's figures say
// what comes first, and it comes before what was not tried. A few runs say whether it is faster by
// much, and little of how sure that is: they have a range and no interval, are ranked by its low
// end, and prove nothing.
#pragma once

#include <string>

#include "advise/advice.hpp"
#include "whatif/gain.hpp"

namespace mallard::advise {

using whatif::enough_runs;

// One step less of it.
std::string lowered(const std::string& confidence);

// It made the program faster, by more than its runs differ anyway.
bool holds(const trial_figures& tried);

// Effects: what was tried and does not hold is among the others. There may be no advice left.
void drop_what_did_not_hold(advice_report& report);

// When nothing more is tried, or nothing was at all.
// Effects: the same; orders what is left, keeps the best for each place, lowers its confidence
// where it is not proved, and says in `proof` how far the first is. Where nothing is left, to leave
// it is the advice.
void settle(advice_report& report);

// The predicted gain: "1.34 (1.31 to 1.38)"; "1.34 in one replay"; why there is no figure.
std::string predicted_text(const advice& one);

// "1.34 (1.31 to 1.38)"; few runs have no median, only a range: "1.20 to 1.44".
std::string tried_times_text(const trial_figures& tried);
// "1.34 (1.31 to 1.38) in 9 runs"; "1.20 to 1.44 in 2 runs".
std::string tried_text(const trial_figures& tried);

}  // namespace mallard::advise
