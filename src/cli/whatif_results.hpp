// Results of `mallard whatif`, as a result file like any other.
#pragma once

#include <string>
#include <vector>

#include "lab/results/cell.hpp"
#include "whatif/whatif.hpp"

namespace mallard::cli {

// A cell for each way that the program ran: "AS1" as it is, also on other mallocs; "hook" under the
// hook alone; with routes, what they are. Without figures, a failed one that says why.
std::vector<lab::cell_result> whatif_cells(const whatif::whatif_result& result,
                                           const std::string& program);
// The file's description of them.
lab::words_of_benches whatif_words();

}  // namespace mallard::cli
