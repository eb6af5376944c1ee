// The published figures of Benchmark I, built into the program so that an installed tool needs no
// data files.
#pragma once

#include <optional>
#include <string_view>

namespace mallard::lab {

// Seconds that P0089R1 prints for the paper's 2^27 leaf insertions; empty where it prints none.
// `ds` as "DS1", `strategy` as "AS1".
std::optional<double> published_seconds(std::string_view ds, int size, std::string_view strategy);

}  // namespace mallard::lab
