// The layouts of all series benches that this program knows, but those of mallocs: see
// malloc_table.hpp.
#pragma once

#include <vector>

#include "cli/series_layout.hpp"

namespace mallard::cli {

const std::vector<layout>& known_layouts();

}  // namespace mallard::cli
