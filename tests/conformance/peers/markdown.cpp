#include "conformance/peers/markdown.hpp"

#include <algorithm>
#include <sstream>

namespace conformance {
namespace {

const char* const introduction = R"(# What we check, and who passes

Every memory resource of Mallard goes through the checks below, in many shapes: over an upstream that
records and fails, over its default upstream, with a buffer, with small chunks, and on one another.
The resources of other libraries go through the same checks, beside ours. A check that cannot
apply, such as `rewind` where there is none, is a dash.

This page is written by `cmake --build build/release --target conformance_page`. `ctest` fails when one
of ours fails a check, and also when a peer of the listed version does not behave as this page says.

)";

const char* const method = R"(## How it is checked

- The upstream is a `mallard::test_resource`: it knows every block it has given, surrounds it with pads,
  compares pointer, size and alignment when it comes back, and can fail at the n-th call. Its blocks
  are aligned as asked and never better, so nobody passes by luck.
- The blocks of a resource are compared with a model: filled with a pattern each, checked for overlap
  when they are given and for their contents when they are taken back.
- Each cell of this page runs in a process of its own, as some of them crash.
- Costs are counted in instructions, by single-stepping one operation, so the answer is the same on
  every run; misses of the processor's caches are not seen. Cells of the cost checks are about
  growth, not about speed.
- Defects A to E are short programs that fail in widely used libraries: A and B in libstdc++ 12's pools,
  D in Boost 1.81's, E in libstdc++'s. C, a linear search when blocks of 4 KiB are given back, was seen in
  libc++ 19, which is not among the columns; its program is run over all the others.
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
  out << "| what happens | resources | checks |\n|---|---|---|\n";
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
  out << introduction << "## Ours\n\n";
  write_table(out, results, ours);
  out << "\n## Other libraries\n\n";
  for (const peer_library& library : peers) out << library.name << " " << library.version << ". ";
  out << "Why they fail is below.\n\n";
  write_table(out, results, theirs);

  out << "\n## Checks\n\n";
  for (const check& check : all_checks()) {
    out << "- **" << check.name << "**: " << check.description << "\n";
  }
  out << "\n" << method << "\n## What fails, and why\n";
  for (const peer_library& library : peers) write_known_failures(out, library);
  out << "\n## The shapes ours are checked in\n\n";
  for (const table_column& column : results.columns()) {
    if (column.library.empty()) out << "- " << column.resource << "\n";
  }
  return out.str();
}

}  // namespace conformance
