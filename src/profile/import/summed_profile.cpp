#include "profile/import/summed_profile.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "profile/import/dhat.hpp"
#include "profile/import/heap_profile.hpp"
#include "profile/import/pprof.hpp"
#include "profile/sites.hpp"

namespace mallard::profile {

bool is_summed_profile(const std::string& path) {
  // Whether it is one takes reading it more than once.
  if (!std::filesystem::is_regular_file(path)) return false;
  return is_dhat(path) || is_heap_profile(path) || is_pprof(path);
}

summed_profile read_summed_profile(const std::string& path) {
  if (is_dhat(path)) return read_dhat(path);
  return is_heap_profile(path) ? read_heap_profile(path) : read_pprof(path);
}

std::vector<site> sites_of(const stack_profile& stacks, bool by_line) {
  std::map<std::tuple<std::string, std::string, std::uint32_t>, stack_weights> places;
  for (std::size_t at = 0; at < stacks.nodes.size(); ++at) {
    const profile_node& node = stacks.nodes[at];
    if (!node.own.any()) continue;
    if (at == 0) {
      places[{"(no stack)", "", 0}] += node.own;
      continue;
    }
    const function_name& function = stacks.functions[node.function];
    places[{function.name, by_line ? function.file : "", by_line ? function.line : 0}] += node.own;
  }
  std::vector<site> out;
  for (const auto& [place, sum] : places) {
    out.push_back(site_of(std::get<0>(place), std::get<1>(place), std::get<2>(place), sum));
  }
  std::sort(out.begin(), out.end(), more_bytes);
  return out;
}

}  // namespace mallard::profile
