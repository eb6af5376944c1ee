// conformance_peers: every check over other libraries' resources, compared with what is known.
//
//   conformance_peers FILE             checks that the peers behave as listed, and that FILE is the
//                                      page of the documentation
//   conformance_peers --markdown FILE  writes the page
//
// Each cell runs in a child process, as some of them crash.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/families.hpp"
#include "conformance/peers/markdown.hpp"
#include "conformance/peers/peers.hpp"
#include "conformance/peers/table.hpp"
#include "mallard/memory/numa.hpp"
#include "support/read_file.hpp"

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

// Whether the page describes these libraries, and our resources as this machine has them.
bool is_of_this_machine(const std::vector<peer_library>& peers) {
  const auto is_listed = [](const peer_library& one) { return one.version == one.listed_version; };
  return peers.size() == 2 && std::all_of(peers.begin(), peers.end(), is_listed) &&
         mallard::numa_resource::available();
}

int run(const std::string& file, bool write) {
  const auto peers = installed_peers();
  table results;
  results.add_ours(conformance::our_cases());
  for (const peer_library& library : peers) results.run_peer(library);
  std::fputs(as_text(results).c_str(), stdout);
  const std::string page = as_markdown(results, peers);
  if (write) {
    std::ofstream out(file);
    out << page;
    if (!out.flush()) throw std::runtime_error("cannot write " + file);
  } else if (is_of_this_machine(peers) && page != mallard_test::read_file(file)) {
    throw std::runtime_error(file + " is another page: build the target conformance_page");
  }
  return results.all_as_expected() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool write = !arguments.empty() && arguments[0] == "--markdown";
  if (arguments.size() != (write ? 2 : 1)) {
    std::fprintf(stderr, "usage: conformance_peers [--markdown] FILE\n");
    return 2;
  }
  try {
    return run(arguments.back(), write);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "conformance_peers: %s\n", e.what());
    return 1;
  }
}
