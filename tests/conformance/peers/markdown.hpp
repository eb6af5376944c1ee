// The conformance table as a page of the documentation.
#pragma once

#include <string>
#include <vector>

#include "conformance/peers/table.hpp"

namespace conformance {

std::string as_markdown(const table& results, const std::vector<peer_library>& peers);

}  // namespace conformance
