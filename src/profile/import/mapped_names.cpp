#include "profile/import/mapped_names.hpp"

#include <filesystem>
#include <utility>

#include "profile/trace/symbolizer.hpp"

namespace mallard::profile {

names_by_address find_mapped_names(const std::vector<mapped_file>& files,
                                   std::span<const std::uint64_t> return_addresses) {
  std::vector<module_info> modules;
  for (const mapped_file& one : files) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(one.path, none)) continue;
    module_info module;
    module.path = one.path;
    module.build_id = one.build_id;
    module.load_bias = one.begin - place_of_offset(one.path, one.offset);
    module.segments = {{one.begin - module.load_bias, one.end - one.begin}};
    modules.push_back(std::move(module));
  }
  if (modules.empty() || return_addresses.empty()) return {};
  std::vector<stack_node> nodes(1);
  for (const std::uint64_t address : return_addresses) nodes.push_back({address, 0, 0});
  const symbol_table symbols = symbolizer().find(std::span<const stack_node>(nodes), modules);
  names_by_address out;
  for (const auto& [key, found] : symbols.of) {
    std::vector<function_name>& names = out[key.ip];
    for (const symbol_line& at : found.lines) {
      names.push_back({symbols.strings[at.function], modules[key.module].path,
                       symbols.strings[at.file], at.line});
    }
  }
  return out;
}

}  // namespace mallard::profile
