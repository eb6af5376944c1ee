// Runs the checks of the peers and keeps the cells of the conformance table.
#pragma once

#include <string>
#include <vector>

#include "conformance/peers/peers.hpp"

namespace conformance {

enum class verdict {
  not_applicable,
  passes,
  fails_as_known,  // listed for exactly this version
  fails,           // not listed: unexpected, unless the peer's version is another one
  newly_passes,    // listed, but passes: the list must be corrected
};

struct table_cell {
  verdict result = verdict::not_applicable;
  std::string message;  // why it failed
};

struct table_column {
  std::string resource;
  std::string library;            // with its version; empty for ours
  std::vector<table_cell> cells;  // in the order of all_checks()
};

class table {
 public:
  // Effects: adds our resources, which pass every check that applies: the test `conformance` fails
  // if one does not.
  void add_ours(const std::vector<resource_case>& cases);
  // Effects: runs every check over a library's resources and compares with what is known. With
  // another version than the listed one nothing counts as unexpected.
  void run_peer(const peer_library& library);

  bool all_as_expected() const { return as_expected_; }
  const std::vector<table_column>& columns() const { return columns_; }

 private:
  std::vector<table_column> columns_;
  bool as_expected_ = true;
};

const char* to_string(verdict v);

// Returns: a summary per resource of a peer, and a line per cell that does not simply pass.
std::string as_text(const table& results);

}  // namespace conformance
