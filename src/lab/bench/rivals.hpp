// Chooses the contenders of a request.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/bench.hpp"
#include "lab/measuring/mallocs.hpp"

namespace mallard::lab {

// The user's options.
struct rivals_request {
  std::optional<std::string> strategies = {};
  std::optional<std::string> peer_strategies = {};
  std::optional<std::string> columns = {};
  std::optional<std::string> mallocs = {};
  std::vector<std::string> more_mallocs = {};  // NAME=FILE
  std::string peers = "all";
  std::optional<std::string> heaps = {};
  bool quick = false;
  std::filesystem::path program = {};  // our mallocs are searched beside it
};

struct chosen_rivals {
  std::vector<contender> contenders;
  std::vector<std::string> heaps;
  std::vector<skipped_peer> missing;  // mallocs that were not found
};

// Throws usage_error.
chosen_rivals choose_rivals(const bench& what, const rivals_request& asked);

// Parses "all", or names such as "AS1,AS7-AS9,sync,mutex".
std::vector<std::string> parse_strategies(std::string_view option, std::string_view text);
// Parses "all" (the built-in ones), or names such as "mallard,std".
std::vector<std::string> parse_peers(std::string_view text);
// Parses "clean", "aged", "clean,aged" or "both".
std::vector<std::string> parse_heaps(std::string_view text);

}  // namespace mallard::lab
