#include "profile/functions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <unordered_map>

#include "profile/trace/lacks.hpp"

namespace mallard::profile {
namespace {

std::string hex(std::uint64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The libraries in which threads and main begin; some of their functions have no names.
bool is_runtime(std::string_view path) {
  static constexpr std::string_view names[] = {
      "libc.so", "libc-", "libstdc++.so", "libc++.so", "libpthread", "ld-linux", "ld-musl"};
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view name) { return file_name(path).starts_with(name); });
}

}  // namespace

function_table::function_table(const trace_reader& trace)
    : trace_(trace), cut_depth_(trace.facts().process.stack_depth) {
  const auto& stacks = trace.stacks();
  const trace_facts& facts = trace.facts();
  const symbol_table& symbols = trace.symbols();
  functions_.push_back({});
  of_.resize(stacks.size());
  depth_.resize(stacks.size());
  direct_.resize(stacks.size());
  // Most frames are the same few addresses: what an address is called is found once. An address
  // that was two modules' is told apart by the module.
  struct found {
    std::uint32_t module = 0;
    bool direct = false;
    bool runtime = false;     // a function without a name in the C or C++ runtime
    bool calls_start = true;  // its innermost inlined function is one of a thread's first, too
    std::string name = {};
    std::array<std::uint32_t, 2> ids =
        {};  // of the function, an ordinary frame and a root; 0: none
  };
  std::unordered_map<std::uint64_t, found> names;
  std::unordered_map<std::string, std::uint32_t> ids;
  // 0: an ordinary frame; 1: before main or a thread's function; 2: main or a thread's function.
  std::vector<std::uint8_t> root(stacks.size());
  // Where it is not known, all that has no name in a module is one function.
  const bool offsets_known = !lacks(facts.process, "where modules lie");
  const bool reloaded =
      std::any_of(facts.modules.begin(), facts.modules.end(),
                  [](const module_info& one) { return one.last_stack != UINT32_MAX; });
  const auto name_of = [&](std::uint64_t ip, std::uint32_t stack) -> found& {
    const auto known = names.find(ip);
    if (known != names.end() && !reloaded) return known->second;
    found& one = names[ip];
    one.ids = {};
    one.module = module_at(facts.modules, ip, stack);
    const auto symbol = symbols.of.find({one.module, ip});
    const bool has_module = one.module < facts.modules.size();
    const std::uint64_t bias = has_module ? facts.modules[one.module].load_bias : 0;
    std::uint64_t start = ip - bias;
    one.name.clear();
    one.direct = symbol != symbols.of.end() && symbol->second.direct;
    if (symbol != symbols.of.end()) {
      if (!symbol->second.lines.empty()) {
        one.name = without_clone(symbols.strings[symbol->second.lines.back().function]);
        one.calls_start =
            is_start_of_thread(symbols.strings[symbol->second.lines.front().function]);
      }
      if (symbol->second.start != 0) start = symbol->second.start - bias;
    }
    one.runtime = one.name.empty() && has_module && is_runtime(facts.modules[one.module].path);
    if (one.name.empty()) {
      const std::string module =
          has_module ? std::string(file_name(facts.modules[one.module].path)) : std::string();
      one.name = !has_module ? hex(start) : offsets_known ? module + "+" + hex(start) : module;
    }
    return one;
  };
  for (std::uint32_t id = 1; id < stacks.size(); ++id) {
    const stack_node& node = stacks[id];
    depth_[id] = depth_[node.parent] + 1;
    found& what = name_of(node.ip, id);
    const bool first = node.parent == 0;
    const bool below_start = first || root[node.parent] == 1;
    if (below_start && (what.runtime || is_start_of_thread(what.name))) {
      // The thread's function may have been inlined into what calls it.
      root[id] = what.runtime || what.calls_start ? 1 : 2;
    } else if (what.name == "main" ? below_start : below_start && !first) {
      root[id] = 2;
    }
    const bool is_root = root[id] != 0;
    std::uint32_t& function = what.ids[is_root];
    if (function == 0) {
      const std::string key = std::to_string(what.module) + (is_root ? "<" : " ") + what.name;
      const auto [at, fresh] = ids.try_emplace(key, static_cast<std::uint32_t>(functions_.size()));
      if (fresh) {
        const bool known = what.module < facts.modules.size();
        functions_.push_back({what.name, known ? facts.modules[what.module].path : "", is_root});
      }
      function = at->second;
    }
    of_[id] = function;
    direct_[id] = what.direct;
  }
}

source_line function_table::line(std::uint32_t stack) const {
  source_line out{functions_[of_[stack]].name, "", 0};
  const std::uint64_t ip = trace_.stacks()[stack].ip;
  const auto& symbols = trace_.symbols();
  const auto found = symbols.of.find({module_at(trace_.facts().modules, ip, stack), ip});
  if (found == symbols.of.end() || found->second.lines.empty()) return out;
  // The innermost function that is not an allocator's.
  const auto& lines = found->second.lines;
  auto at = std::find_if(lines.begin(), lines.end(), [&](const symbol_line& one) {
    return !is_allocation_function(symbols.strings[one.function]);
  });
  if (at == lines.end()) at = std::prev(lines.end());
  out.function = symbols.strings[at->function];
  out.file = symbols.strings[at->file];
  out.line = at->line;
  return out;
}

}  // namespace mallard::profile
