// Parts of the page that the benches of mallocs share.
#pragma once

#include <string>
#include <vector>

#include "lab/bench/page.hpp"

namespace mallard::lab::mallocs {

page_section mallocs_section();
// Lines by number of threads, in half the width.
page_card lines_by_threads(std::vector<std::string> measures, std::string hint = {});
// Gain of our malloc over the C library's, in the mean of all benches that have one.
page_headline own_malloc_gain();
// All three.
bench_page page_by_threads(std::vector<std::string> measures, std::string hint = {});

}  // namespace mallard::lab::mallocs
