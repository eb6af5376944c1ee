// The HTML page that is built into the program, and how data gets into it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace mallard::report {

// The page without data; made from report/ at build time.
std::string_view page_template();

// The page with `model` in it, written so that no string of the model can end the script element
// that holds it. `page` must contain the marker exactly once.
std::string fill_page(std::string_view page, const nlohmann::ordered_json& model);

// Whether the file is such a page, of this version or another.
bool is_page(const std::filesystem::path& file);

inline constexpr std::string_view data_marker = "@MALLARD_DATA@";

}  // namespace mallard::report
