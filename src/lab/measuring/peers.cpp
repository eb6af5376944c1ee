#include "lab/measuring/peers.hpp"

#include <fmt/format.h>

#ifdef MALLARD_LAB_BOOST
#include <boost/version.hpp>
#endif

#include "lab/measuring/build.hpp"

namespace mallard::lab {
namespace {

std::string standard_library() {
#if defined(__GLIBCXX__)
  return fmt::format("libstdc++ {} ({})", _GLIBCXX_RELEASE, __GLIBCXX__);
#elif defined(_LIBCPP_VERSION)
  return fmt::format("libc++ {}", _LIBCPP_VERSION);
#else
  return "unknown";
#endif
}

}  // namespace

const std::vector<peer_version>& available_peers() {
  static const std::vector<peer_version> peers = {
      {"mallard", std::string(mallard_version())},
      {"std", standard_library()},
#ifdef MALLARD_LAB_BOOST
      {"boost", fmt::format("{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000)},
#endif
  };
  return peers;
}

const std::vector<skipped_peer>& missing_peers() {
  static const std::vector<skipped_peer> peers = {
#ifndef MALLARD_LAB_BOOST
      {"boost", "Boost.Container was not found when this mallard was built"},
#endif
  };
  return peers;
}

}  // namespace mallard::lab
