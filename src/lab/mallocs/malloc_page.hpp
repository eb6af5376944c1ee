// Parts of the page shared by the benches of mallocs.
#pragma once

#include <string>
#include <vector>

#include "lab/bench/page.hpp"

namespace mallard::lab::mallocs {

page_section mallocs_section();
// Lines by number of threads, in half the width.
page_card lines_by_threads(std::vector<std::string> measures, std::string hint = {});
// The mean gain of our malloc over the C library's in all benches with one.
page_headline own_malloc_gain();
// All three together.
bench_page page_by_threads(std::vector<std::string> measures, std::string hint = {});

}  // namespace mallard::lab::mallocs
