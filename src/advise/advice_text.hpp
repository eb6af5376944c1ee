// Advice as JSON and as markdown for a pull request.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "advise/advice.hpp"

namespace mallard::advise {

// docs/advise.md says what is in it.
nlohmann::ordered_json to_json(const advice_report& report);
std::string to_markdown(const advice_report& report);

// "the malloc jemalloc", "multipool for parse".
std::string name_of(const candidate& one);
// "1.34 (1.31 to 1.38)".
std::string times_text(const interval& times);
// "2 % more memory", "3 % less memory", "the same memory".
std::string memory_text(double memory);

}  // namespace mallard::advise
