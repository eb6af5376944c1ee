// A bench's words for the page, as the page's scripts read them: only those that it has.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/bench/page.hpp"

namespace mallard::report {

// {"section", "cards", "headlines", "logarithms"}; of the cards those of the series that comes with
// the cells, or the others.
nlohmann::ordered_json page_json(const lab::bench_page& page, bool of_series);

}  // namespace mallard::report
