#include "watch/site_names.hpp"

#include <fmt/format.h>

#include "live/session.hpp"
#include "profile/function_names.hpp"

namespace mallard::watch {
namespace {

constexpr std::uint64_t place_mask = (std::uint64_t{1} << live::module_shift) - 1;

// Whether it is a container or string of the standard library, which belongs to its caller.
bool is_of_the_runtime(const std::string& name) {
  return name.starts_with("std::") || name.starts_with("__gnu_cxx::") ||
         name.starts_with("libstdc++.so") || name.starts_with("libc++.so");
}

}  // namespace

void site_names::learn(const std::vector<site_reading>& sites,
                       const std::vector<std::string>& modules) {
  std::vector<std::uint64_t> fresh;
  for (const site_reading& one : sites) {
    if (one.address != 0 && asked_.insert(one.address).second) fresh.push_back(one.address);
  }
  if (fresh.empty()) return;
  // Looks the addresses up as stacks of one frame each, with modules at the places that the
  // addresses encode.
  std::vector<profile::module_info> known(modules.size());
  for (std::size_t i = 0; i < modules.size(); ++i) {
    known[i].path = modules[i];
    known[i].load_bias = std::uint64_t{i + 1} << live::module_shift;
    known[i].segments = {{0, place_mask}};
  }
  profile::stack_table stacks;
  for (const std::uint64_t address : fresh) stacks.child(0, {address, 0});
  const profile::symbol_table symbols = symbolizer_.find(stacks.nodes(), known);
  for (const auto& [key, symbol] : symbols.of) {
    std::vector<std::string>& names = names_[key.ip];
    for (const profile::symbol_line& line : symbol.lines) {
      names.push_back(symbols.strings[line.function]);
    }
  }
  for (const std::uint64_t address : fresh) {
    std::vector<std::string>& names = names_[address];
    const std::size_t module = (address >> live::module_shift) - 1;
    if (!names.empty() || module >= modules.size()) continue;
    const std::string& path = modules[module];
    names.push_back(
        fmt::format("{}+{:#x}", path.substr(path.rfind('/') + 1), address & place_mask));
  }
}

std::string site_names::function_of(std::uint32_t site,
                                    const std::vector<site_reading>& sites) const {
  std::string outermost = "(unknown)";
  for (std::uint32_t at = site; at != 0; at = sites[at].parent) {
    const auto found = names_.find(sites[at].address);
    if (found == names_.end() || found->second.empty()) continue;
    // Inlined code belongs to the function that contains it.
    const std::string& name = found->second.back();
    if (profile::is_start_of_thread(name)) break;
    outermost = profile::short_name(name);
    if (!profile::is_allocation_function(name) && !is_of_the_runtime(outermost)) break;
  }
  return outermost;
}

}  // namespace mallard::watch
