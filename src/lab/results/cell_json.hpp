// Cells, a run's parameters and descriptions of benches as JSON of a result file.
#pragma once

#include <string>

#include "lab/results/cell.hpp"
#include "lab/results/json_members.hpp"
#include "lab/results/words.hpp"

namespace mallard::lab {

// Throw std::runtime_error, which says what is wrong.
cell_result read_cell(const json& object);
place read_parameters(const json& object);
bench_words read_words(const json& object);

json to_json(const place& values);
json to_json(const cell_result& cell);
json to_json(const bench_words& words);

}  // namespace mallard::lab
