// The one JSON document that the page shows.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/results/merge.hpp"

namespace mallard::report {

// {"schema", "notes", "structures", "strategies", "published", "published_series", "cell_fields",
// "datasets"}, read by report/src/data.js. The same results give the same document, byte for byte.
nlohmann::ordered_json make_model(const lab::merged_results& results);

}  // namespace mallard::report
