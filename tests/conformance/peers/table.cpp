#include "conformance/peers/table.hpp"

#include <algorithm>
#include <sstream>

#include "support/forked.hpp"

namespace conformance {
namespace {

bool is_known(const peer_library& library, const std::string& resource, const std::string& check) {
  return std::any_of(
      library.known_failures.begin(), library.known_failures.end(),
      [&](const known_failure& k) { return k.resource == resource && k.check == check; });
}

}  // namespace

const char* to_string(verdict v) {
  switch (v) {
    case verdict::not_applicable:
      return "–";
    case verdict::passes:
      return "passes";
    case verdict::fails_as_known:
      return "fails (known)";
    case verdict::fails:
      return "FAILS";
    case verdict::newly_passes:
      return "newly passes";
  }
  return "?";
}

void table::add_ours(const std::vector<resource_case>& cases) {
  for (const resource_case& resource : cases) {
    table_column& column = columns_.emplace_back(table_column{resource.name, "", {}});
    for (const check& check : all_checks()) {
      column.cells.push_back(
          {check.applies(resource) ? verdict::passes : verdict::not_applicable, ""});
    }
  }
}

void table::run_peer(const peer_library& library) {
  const bool listed = library.version == library.listed_version;
  for (const resource_case& resource : library.cases) {
    table_column& column = columns_.emplace_back(
        table_column{resource.name, library.name + " " + library.version, {}});
    for (const check& check : all_checks()) {
      auto& [result, message] = column.cells.emplace_back();
      if (!check.applies(resource)) continue;
      const auto outcome = mallard_test::run_forked([&] { check.run(resource); });
      result = outcome.passed ? verdict::passes : verdict::fails;
      message = outcome.message;
      const bool known = is_known(library, resource.name, check.name);
      if (result == verdict::fails && known) result = verdict::fails_as_known;
      if (result == verdict::passes && known) result = verdict::newly_passes;
      const bool unexpected = result == verdict::fails || result == verdict::newly_passes;
      if (unexpected && listed) as_expected_ = false;
    }
  }
}

std::string as_text(const table& results) {
  std::ostringstream out;
  for (const table_column& column : results.columns()) {
    if (column.library.empty()) continue;
    std::size_t passed = 0;
    std::size_t run = 0;
    for (const table_cell& cell : column.cells) {
      passed += cell.result == verdict::passes || cell.result == verdict::newly_passes;
      run += cell.result != verdict::not_applicable;
    }
    out << column.resource << ": passes " << passed << " of " << run << "\n";
    for (std::size_t i = 0; i < column.cells.size(); ++i) {
      if (column.cells[i].result <= verdict::passes) continue;
      out << "  " << to_string(column.cells[i].result) << ": " << all_checks()[i].name << ": "
          << column.cells[i].message << "\n";
    }
  }
  return out.str();
}

}  // namespace conformance
