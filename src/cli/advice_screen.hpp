// The screen of `mallard advise`.
#pragma once

#include "advise/advice.hpp"

namespace mallard::cli {

// One screen: the best in full, the others in short.
void print_advice_screen(const advise::advice_report& report, bool colour);

}  // namespace mallard::cli
