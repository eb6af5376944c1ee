#include "conformance/peers/markdown.hpp"

#include <algorithm>
#include <sstream>

namespace conformance {
namespace {

const char* const introduction = R"(# Conformance checks

Every memory resource of Mallard goes through the checks below in many shapes: over an upstream that
records and fails, over its default upstream, with a buffer, with small chunks, and on one another.
The resources of other libraries go through the same checks. A dash marks a check that does not
apply, such as `rewind` of a resource without it.

`cmake --build build/release --target conformance_page` writes this page. `ctest` fails if a resource of
Mallard fails a check, or if a peer of the listed version behaves otherwise than this page says.

)";

const char* const method = R"(## Method

- The upstream is a `mallard::test_resource`. It surrounds each block with pads and compares pointer, size
  and alignment when the block is returned. It can fail at the n-th call. Its blocks are aligned exactly
  as requested, never better, so no resource passes by luck.
- A model of the resource fills each block with a pattern. It checks that new blocks overlap no other,
  and compares the contents when a block is returned.
- Each cell of this page runs in its own process, because some of them crash.
- The cost checks count instructions by single-stepping one operation, so every run gives the same
  answer. They do not see cache misses. They check growth, not speed: the larger case may take twice
  the instructions of the smaller one, plus 200.
- Defects A to E are short programs that fail in widely used libraries: A, B and E in libstdc++ 12's
  pools, D in Boost 1.81's, C in libc++ 19, a linear search when a block of 4 KiB is returned. libc++ is
  not among the columns, but all others run C's program.
)";

// Our rows are summed up by class, as the page would be too wide otherwise.
std::string class_of(const table_column& column) {
  if (!column.library.empty()) return column.resource;
  return column.resource.substr(0, column.resource.find_first_of(" <"));
}

std::vector<std::string> classes_of(const table& results) {
  std::vector<std::string> names;
  for (const table_column& column : results.columns()) {
    const std::string name = class_of(column);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// The worst of a class's shapes.
verdict worst(const table& results, const std::string& name, std::size_t check) {
  verdict out = verdict::not_applicable;
  for (const table_column& column : results.columns()) {
    if (class_of(column) == name) out = std::max(out, column.cells[check].result);
  }
  return out;
}

const char* symbol(verdict v) {
  switch (v) {
    case verdict::passes:
    case verdict::newly_passes:
      return "✓";
    case verdict::fails_as_known:
    case verdict::fails:
      return "**✗**";
    case verdict::not_applicable:
      break;
  }
  return "–";
}

void write_table(std::ostream& out, const table& results, const std::vector<std::string>& names) {
  out << "| check |";
  for (const std::string& name : names) out << " `" << name << "` |";
  out << "\n|---|";
  for (std::size_t i = 0; i < names.size(); ++i) out << ":-:|";
  out << "\n";
  for (std::size_t check = 0; check < all_checks().size(); ++check) {
    out << "| " << all_checks()[check].name << " |";
    for (const std::string& name : names) out << " " << symbol(worst(results, name, check)) << " |";
    out << "\n";
  }
}

// One line for a class, its shapes without the class's name.
void write_shapes(std::ostream& out, const table& results, const std::string& name) {
  out << "- `" << name << "`:";
  const char* separator = " ";
  for (const table_column& column : results.columns()) {
    if (class_of(column) != name) continue;
    std::string shape = column.resource.substr(name.size());
    if (shape.empty()) shape = "alone";
    if (shape.front() == ' ') shape.erase(0, 1);
    if (shape.find('<') != shape.npos) shape = "`" + shape + "`";
    out << separator << shape;
    separator = "; ";
  }
  out << "\n";
}

// Names in code style, each once, in the order of the list.
void write_names(std::ostream& out, const std::vector<known_failure>& known, const std::string& why,
                 std::string known_failure::* member) {
  std::vector<std::string> names;
  for (const known_failure& k : known) {
    const std::string& name = k.*member;
    if (k.why != why || std::find(names.begin(), names.end(), name) != names.end()) continue;
    out << (names.empty() ? "" : ", ") << "`" << name << "`";
    names.push_back(name);
  }
}

// One line per cause; a cause may fail several checks of several resources.
void write_known_failures(std::ostream& out, const peer_library& library) {
  out << "\n### " << library.name << " " << library.version << "\n\n";
  if (library.version != library.listed_version) {
    out << "The list below describes version " << library.listed_version << ".\n\n";
  }
  out << "| behaviour | resources | checks |\n|---|---|---|\n";
  std::vector<std::string> causes;
  for (const known_failure& k : library.known_failures) {
    if (std::find(causes.begin(), causes.end(), k.why) != causes.end()) continue;
    causes.push_back(k.why);
    out << "| " << k.why << " | ";
    write_names(out, library.known_failures, k.why, &known_failure::resource);
    out << " | ";
    write_names(out, library.known_failures, k.why, &known_failure::check);
    out << " |\n";
  }
}

}  // namespace

std::string as_markdown(const table& results, const std::vector<peer_library>& peers) {
  std::vector<std::string> ours;
  std::vector<std::string> theirs;
  for (const std::string& name : classes_of(results)) {
    const auto is_peer = [&](const table_column& c) {
      return !c.library.empty() && c.resource == name;
    };
    const auto& columns = results.columns();
    const bool peer = std::any_of(columns.begin(), columns.end(), is_peer);
    (peer ? theirs : ours).push_back(name);
  }

  std::ostringstream out;
  out << introduction << "## Mallard's resources\n\n";
  write_table(out, results, ours);
  out << "\n## Other libraries\n\n";
  for (const peer_library& library : peers) out << library.name << " " << library.version << ". ";
  out << "The [known failures](#known-failures) have their reasons below.\n\n";
  write_table(out, results, theirs);

  out << "\n## Checks\n\n";
  for (const check& check : all_checks()) {
    out << "- **" << check.name << "**: " << check.description << "\n";
  }
  out << "\n" << method << "\n## Known failures\n";
  for (const peer_library& library : peers) write_known_failures(out, library);
  out << "\n## Shapes of Mallard's resources\n\n";
  for (const std::string& name : ours) write_shapes(out, results, name);
  return out.str();
}

}  // namespace conformance
