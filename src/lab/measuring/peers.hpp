// The libraries whose resources can be measured: ours, and those it was built against.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mallard::lab {

// A library whose resources were measured, or one that could not be and why.
struct peer_version {
  std::string name;
  std::string version;
};
struct skipped_peer {
  std::string peer;
  std::string reason;
};

// "mallard" first, then the others that are built in.
const std::vector<peer_version>& available_peers();

// Those known to the lab that are not built in, and why.
const std::vector<skipped_peer>& missing_peers();

}  // namespace mallard::lab
