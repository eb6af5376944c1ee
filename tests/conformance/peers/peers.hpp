// The resources of other libraries, as rows of the same table, and what is known to fail in them.
#pragma once

#include <string>
#include <vector>

#include "conformance/suite.hpp"

namespace conformance {

struct known_failure {
  std::string resource;
  std::string check;
  std::string why;  // the behaviour, in words
};

struct peer_library {
  std::string name;
  std::string version;         // as found
  std::string listed_version;  // the one that known_failures describes
  std::vector<resource_case> cases;
  std::vector<known_failure> known_failures;
};

peer_library standard_library();
#ifdef MALLARD_HAVE_BOOST_CONTAINER
peer_library boost_container();
#endif

}  // namespace conformance
