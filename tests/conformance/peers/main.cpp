// conformance_peers: every check over other libraries' resources, compared with what is known.
//
//   conformance_peers                  checks that the peers behave as listed
//   conformance_peers --markdown FILE  runs ours as well, and writes the table
//
// Each cell runs in a child process, as some of them crash.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "conformance/families.hpp"
#include "conformance/peers/markdown.hpp"
#include "conformance/peers/peers.hpp"
#include "conformance/peers/table.hpp"

namespace {

using conformance::peer_library;
using conformance::table;

std::vector<peer_library> installed_peers() {
  std::vector<peer_library> peers;
  peers.push_back(conformance::standard_library());
#ifdef MALLARD_HAVE_BOOST_CONTAINER
  peers.push_back(conformance::boost_container());
#endif
  return peers;
}

int run(const std::string& markdown_file) {
  const auto peers = installed_peers();
  table results;
  if (!markdown_file.empty()) results.run_ours(conformance::our_cases());
  for (const peer_library& library : peers) results.run_peer(library);
  std::fputs(as_text(results).c_str(), stdout);
  if (!markdown_file.empty()) {
    std::ofstream out(markdown_file);
    out << as_markdown(results, peers);
    if (!out.flush()) {
      std::fprintf(stderr, "conformance_peers: cannot write %s\n", markdown_file.c_str());
      return 1;
    }
  }
  return results.all_as_expected() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool markdown = arguments.size() == 2 && arguments[0] == "--markdown";
  if (!arguments.empty() && !markdown) {
    std::fprintf(stderr, "usage: conformance_peers [--markdown FILE]\n");
    return 2;
  }
  try {
    return run(markdown ? arguments[1] : "");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "conformance_peers: %s\n", e.what());
    return 1;
  }
}
