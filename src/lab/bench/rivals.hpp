// From what was asked for to who is measured.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/bench.hpp"
#include "lab/measuring/mallocs.hpp"

namespace mallard::lab {

// The user's words.
struct rivals_request {
  std::optional<std::string> strategies = {};
  std::optional<std::string> peer_strategies = {};
  std::optional<std::string> columns = {};
  std::optional<std::string> mallocs = {};
  std::vector<std::string> more_mallocs = {};  // NAME=FILE
  std::string peers = "all";
  std::optional<std::string> heaps = {};
  bool quick = false;
  std::filesystem::path program = {};  // beside which our mallocs are looked for
};

struct chosen_rivals {
  std::vector<contender> contenders;
  std::vector<std::string> heaps;
  std::vector<skipped_peer> missing;  // mallocs that are not there
};

// Throws usage_error.
chosen_rivals choose_rivals(const bench& what, const rivals_request& asked);

// "all", or names like "AS1,AS7-AS9,sync,mutex".
std::vector<std::string> parse_strategies(std::string_view option, std::string_view text);
// "all" (those that are built in), or names like "mallard,std".
std::vector<std::string> parse_peers(std::string_view text);
// "clean", "aged", "clean,aged" or "both".
std::vector<std::string> parse_heaps(std::string_view text);

}  // namespace mallard::lab
