// Finds where it matters how a part's blocks are used: the order of strategies at a level of
// touching its blocks that another one wins than at the level that the advice goes by.
#pragma once

#include <vector>

#include "advise/advice.hpp"

namespace mallard::advise {

// The advice goes by those cells of a part whose level comes first.
std::vector<level_ranking> rankings_that_differ(const std::vector<replayed_cell>& cells);

}  // namespace mallard::advise
