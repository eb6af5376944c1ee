// The functions that the stacks of a watched program allocate for.
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
  // Looks up the names of addresses that are new. Reads files: the first time takes longest.
  void learn(const std::vector<site_reading>& sites, const std::vector<std::string>& modules);
  // The innermost function of the stack that is not of the heap or of what stands before it, such
  // as allocators and the containers of the C++ library; "(unknown)" where no stack or name is
  // known.
  std::string function_of(std::uint32_t site, const std::vector<site_reading>& sites) const;

 private:
  profile::symbolizer symbolizer_;
  std::map<std::uint64_t, std::vector<std::string>> names_;  // innermost first
  std::set<std::uint64_t> asked_;
};

}  // namespace mallard::watch
