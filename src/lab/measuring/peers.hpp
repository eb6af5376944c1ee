// The libraries whose resources can be measured: ours, and others built in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mallard::lab {

// A measured library, or one that cannot be measured, with the reason.
struct peer_version {
  std::string name;
  std::string version;
};
struct skipped_peer {
  std::string peer;
  std::string reason;
};

// "mallard" first, then the other built-in ones.
const std::vector<peer_version>& available_peers();

// Libraries known to the lab that are not built in, with the reason.
const std::vector<skipped_peer>& missing_peers();

}  // namespace mallard::lab
