#include "advise/places.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

#include "advise/block_type.hpp"
#include "process/process.hpp"

namespace mallard::advise {
namespace {

// The names of all functions on a stack, inlined ones too, innermost first, up to the function of
// that name.
std::vector<std::string> names_on(const profile::trace_reader& trace,
                                  const profile::function_table& functions, std::uint32_t stack,
                                  const std::string& last) {
  std::vector<std::string> names;
  for (std::uint32_t at = stack; at != 0; at = trace.stacks()[at].parent) {
    for (const profile::symbol_line& line : trace.lines_of(at)) {
      names.push_back(trace.symbols().strings[line.function]);
    }
    names.push_back(functions[functions.of(at)].name);
    if (profile::short_name(names.back()) == last) break;
  }
  return names;
}

// Also where debug information has only the function's bare name, as of one that is of its file
// alone: what it calls to allocate has a name of C++ then.
bool has_name_of_cpp(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.find('(') != name.npos || name.find("::") != name.npos;
  });
}

// Empty where it is not at hand, or larger than what anybody writes.
std::string text_of(const std::string& file) {
  constexpr std::uintmax_t most = 4u << 20;
  std::error_code missing;
  const std::uintmax_t bytes = std::filesystem::file_size(file, missing);
  if (missing || bytes > most || !std::filesystem::is_regular_file(file, missing)) return {};
  return process::file_text(file);
}

}  // namespace

bool is_file_of_cpp(std::string_view file) {
  constexpr std::string_view endings[] = {".cpp", ".cc", ".cxx", ".c++", ".C",
                                          ".hpp", ".hh", ".hxx", ".h++", ".H"};
  return std::any_of(std::begin(endings), std::end(endings),
                     [&](std::string_view one) { return file.ends_with(one); });
}

bool place_finder::calls_malloc_itself(std::uint32_t stack, std::uint32_t at) const {
  if (!knows_new_ || by_new_[stack]) return false;
  for (const profile::symbol_line& one : trace_.lines_of(at)) {
    const std::string& name = trace_.symbols().strings[one.function];
    if (profile::is_allocation_function(name)) continue;
    return !profile::is_of_library_header(name, trace_.symbols().strings[one.file]);
  }
  return !functions_[functions_.of(at)].of_library;
}

code_place place_finder::place_of(std::uint32_t stack, const std::string& subsystem) const {
  code_place place;
  place.subsystem = subsystem;
  place.function = subsystem;
  const std::vector<std::string> names = names_on(trace_, functions_, stack, subsystem);
  place.type = type_of_stack(names);
  place.container = container_of_stack(names);
  std::uint32_t at = stack;
  while (at != 0 && trace_.stacks()[at].parent != 0 &&
         profile::is_allocation_function(functions_[functions_.of(at)].name)) {
    at = trace_.stacks()[at].parent;
  }
  if (at == 0) return place;
  place.is_cpp = by_new_[stack] || has_name_of_cpp(names);
  std::uint32_t asks = at;
  while (asks != 0 && functions_[functions_.of(asks)].of_library)
    asks = trace_.stacks()[asks].parent;
  place.asks_itself =
      asks == 0 || profile::short_name(functions_[functions_.of(asks)].name) == subsystem;
  if (const profile::symbol_line* const own = own_line(at, subsystem)) {
    place.file = trace_.symbols().strings[own->file];
    place.line = own->line;
    place.is_cpp = place.is_cpp || is_file_of_cpp(place.file);
    place.calls_malloc = calls_malloc_itself(stack, at);
    place.change = change_declaration(text_of(place.file), place.line, place.container);
    return place;
  }
  const profile::source_line line = functions_.line(at);
  place.file = line.file;
  place.line = line.line;
  return place;
}

// The innermost line that is nobody's library's, up to the function of that name; null: there is
// none. Functions that were inlined have bare names, so files tell.
const profile::symbol_line* place_finder::own_line(std::uint32_t from,
                                                   const std::string& last) const {
  const std::vector<std::string>& strings = trace_.symbols().strings;
  for (std::uint32_t at = from; at != 0; at = trace_.stacks()[at].parent) {
    for (const profile::symbol_line& one : trace_.lines_of(at)) {
      const std::string& file = strings[one.file];
      if (one.line != 0 && !file.empty() &&
          !profile::is_of_library_header(strings[one.function], file) &&
          !profile::is_allocation_function(strings[one.function])) {
        return &one;
      }
    }
    if (profile::short_name(functions_[functions_.of(at)].name) == last) break;
  }
  return nullptr;
}

std::vector<code_place> place_finder::find(const profile::dims_result& dims,
                                           const profile::subsystem_map& subsystems) const {
  std::map<std::string, std::vector<std::uint32_t>> stacks;  // by subsystem, the heaviest first
  for (std::uint32_t stack = 1; stack < bytes_.size(); ++stack) {
    if (bytes_[stack] != 0) {
      stacks[subsystems.names[subsystems.of_stack[stack]]].push_back(stack);
    }
  }
  std::vector<code_place> out;
  for (const profile::subsystem& one : dims.subsystems) {
    std::vector<std::uint32_t>& its = stacks[one.name];
    std::sort(its.begin(), its.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(bytes_[b], a) < std::pair(bytes_[a], b);
    });
    out.push_back(place_of(its.empty() ? 0 : its.front(), one.name));
    out.back().is_cpp = out.back().is_cpp || std::any_of(its.begin(), its.end(), [&](auto stack) {
                          return by_new_[stack];
                        });
    out.back().others = others_of(its, out.back());
  }
  return out;
}

// Those with a twentieth of the bytes or more, of the stacks that have most.
std::vector<container_use> place_finder::others_of(const std::vector<std::uint32_t>& stacks,
                                                   const code_place& place) const {
  constexpr std::size_t most_stacks = 64;
  std::uint64_t all = 0;
  for (const std::uint32_t stack : stacks) all += bytes_[stack];
  std::vector<container_use> uses;
  std::map<std::string, std::uint64_t> bytes_of;
  for (std::size_t i = 0; i < std::min(most_stacks, stacks.size()); ++i) {
    const std::vector<std::string> names = names_on(trace_, functions_, stacks[i], place.subsystem);
    container_use one{container_of_stack(names), {}, 0};
    const std::string type = one.container.in("std::");
    if (type.empty() || type == place.container.in("std::")) continue;
    std::uint64_t& bytes = bytes_of[type];
    bytes += bytes_[stacks[i]];
    if (bytes != bytes_[stacks[i]]) continue;
    if (const profile::symbol_line* const own = own_line(stacks[i], place.subsystem)) {
      one.file = trace_.symbols().strings[own->file];
      one.line = own->line;
    }
    one.below = names;
    uses.push_back(std::move(one));
  }
  std::erase_if(uses, [&](const container_use& one) {
    return bytes_of[one.container.in("std::")] * 20 < all;
  });
  return uses;
}

}  // namespace mallard::advise
