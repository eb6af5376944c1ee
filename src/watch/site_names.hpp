// The functions on whose behalf a watched program's stacks allocate.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profile/trace/symbolizer.hpp"
#include "watch/watched_process.hpp"

namespace mallard::watch {

class site_names {
 public:
  // Looks up the names of new addresses. Reads files, so the first call takes longest.
  void learn(const std::vector<site_reading>& sites, const std::vector<std::string>& modules);
  // The stack's innermost function that is neither the heap's nor an allocator or container of the
  // C++ library; "(unknown)" without a stack or name.
  std::string function_of(std::uint32_t site, const std::vector<site_reading>& sites) const;

 private:
  profile::symbolizer symbolizer_;
  std::map<std::uint64_t, std::vector<std::string>> names_;  // innermost first
  std::set<std::uint64_t> asked_;
};

}  // namespace mallard::watch
