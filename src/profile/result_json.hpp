// The result of an analysis as JSON; docs/dims.md is its schema.
#pragma once

#include <nlohmann/json.hpp>

#include "profile/result.hpp"

namespace mallard::profile {

nlohmann::ordered_json to_json(const dims_result& result);
nlohmann::ordered_json to_json(const heap_total& one);
nlohmann::ordered_json to_json(const std::optional<heap_share>& share);
// Returns: nothing if it is not a heap share.
std::optional<heap_share> heap_share_from(const nlohmann::ordered_json& from);
nlohmann::ordered_json to_json(const site& one);
nlohmann::ordered_json to_json(const std::vector<site>& sites);

}  // namespace mallard::profile
