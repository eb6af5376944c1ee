#include "profile/functions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

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

// The libraries in which threads and main begin. Some of their functions have no names.
bool is_runtime(std::string_view path) {
  static constexpr std::string_view names[] = {
      "libc.so", "libc-", "libstdc++.so", "libc++.so", "libpthread", "ld-linux", "ld-musl"};
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view name) { return file_name(path).starts_with(name); });
}

// Numbers for the return addresses of stacks. If modules were unloaded, an address may have
// belonged to two, and has a number for each.
class addresses_of_stacks {
 public:
  explicit addresses_of_stacks(const trace_reader& trace)
      : stacks_(trace.stacks()), size_(stacks_.places()) {
    const auto& modules = trace.facts().modules;
    if (std::none_of(modules.begin(), modules.end(),
                     [](const module_info& one) { return one.last_stack != UINT32_MAX; })) {
      return;
    }
    numbers_.resize(stacks_.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;  // by place and module
    for (std::uint32_t id = 1; id < stacks_.size(); ++id) {
      const std::pair key(stacks_.place(id), module_at(modules, stacks_[id].ip, id));
      const auto [at, fresh] = known.try_emplace(key, size_);
      size_ += fresh;
      numbers_[id] = at->second;
    }
  }

  std::uint32_t size() const { return size_; }
  std::uint32_t of(std::uint32_t stack) const {
    return numbers_.empty() ? stacks_.place(stack) : numbers_[stack];
  }

 private:
  const stack_list& stacks_;
  std::uint32_t size_;
  std::vector<std::uint32_t> numbers_;  // only if modules were unloaded
};

constexpr std::uint8_t deepest = UINT8_MAX;

std::uint8_t one_more(std::uint8_t depth) {
  return depth == deepest ? deepest : static_cast<std::uint8_t>(depth + 1);
}

}  // namespace

// Finds names of addresses, and the functions they belong to.
class function_table::finder {
 public:
  finder(const trace_reader& trace, std::vector<function>& functions)
      : facts_(trace.facts()),
        symbols_(trace.symbols()),
        offsets_known_(!lacks(facts_.process, "where modules lie")),
        functions_(functions) {}

  struct found {
    std::uint32_t module = 0;
    bool direct = false;
    bool runtime = false;     // a nameless function of the C or C++ runtime
    bool calls_start = true;  // its innermost inlined function is also one of a thread's first
    std::string name = {};
    std::string_view file = {};
  };

  found find(std::uint64_t ip, std::uint32_t stack) const {
    found one;
    one.module = module_at(facts_.modules, ip, stack);
    const auto symbol = symbols_.of.find({one.module, ip});
    const bool has_module = one.module < facts_.modules.size();
    const std::uint64_t bias = has_module ? facts_.modules[one.module].load_bias : 0;
    std::uint64_t start = ip - bias;
    one.direct = symbol != symbols_.of.end() && symbol->second.direct;
    if (symbol != symbols_.of.end()) {
      if (!symbol->second.lines.empty()) {
        one.name = without_clone(symbols_.strings[symbol->second.lines.back().function]);
        one.file = symbols_.strings[symbol->second.lines.back().file];
        one.calls_start =
            is_start_of_thread(symbols_.strings[symbol->second.lines.front().function]);
      }
      if (symbol->second.start != 0) start = symbol->second.start - bias;
    }
    one.runtime = one.name.empty() && has_module && is_runtime(facts_.modules[one.module].path);
    if (one.name.empty()) {
      const std::string module =
          has_module ? std::string(file_name(facts_.modules[one.module].path)) : std::string();
      // If offsets are unknown, all nameless code of a module is one function.
      one.name = !has_module ? hex(start) : offsets_known_ ? module + "+" + hex(start) : module;
    }
    return one;
  }

  // The function's number. A function that occurs both as an ordinary frame and as a root gets two.
  // One of a module that was loaded again has one.
  std::uint32_t function_of(const found& what, bool is_root) {
    const module_info* const of =
        what.module < facts_.modules.size() ? &facts_.modules[what.module] : nullptr;
    std::string key = of == nullptr || of->path.empty() ? std::to_string(what.module)
                                                        : of->path + '\0' + of->build_id;
    key += is_root ? '<' : ' ';
    key += what.name;
    const auto [at, fresh] =
        ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(functions_.size()));
    if (fresh) functions_.push_back({what.name, of == nullptr ? "" : of->path, is_root, true});
    // Debug information does not name all that was inlined: then the file is that of a library's
    // header which the function uses. One place in another file tells that it is the program's.
    function& out = functions_[at->second];
    out.of_library = out.of_library && is_of_library_header(what.name, what.file);
    return at->second;
  }

 private:
  const trace_facts& facts_;
  const symbol_table& symbols_;
  bool offsets_known_;
  std::vector<function>& functions_;
  std::unordered_map<std::string, std::uint32_t> ids_;
};

function_table::function_table(const trace_reader& trace)
    : trace_(trace),
      functions_(1),
      frames_(trace.stacks().size()),
      depths_(trace.stacks().size()),
      cut_depth_(static_cast<std::uint8_t>(
          std::min<std::uint32_t>(trace.facts().process.stack_depth, deepest))) {
  // Most stacks consist of the same few addresses, so what is found is kept by address.
  const stack_list& stacks = trace.stacks();
  const addresses_of_stacks addresses(trace);
  std::vector<frame> ordinary(addresses.size());  // not of roots; function 0: not found yet
  finder functions(trace, functions_);
  std::unordered_map<std::uint32_t, finder::found> outermost;  // by address: possible roots
  std::vector<bool> starts(1);  // by stack, up to the last root: comes before a thread's function
  for (std::uint32_t id = 1; id < stacks.size(); ++id) {
    const std::uint32_t parent = stacks.parent(id);
    frame& known = ordinary[addresses.of(id)];
    // Only the first frame can be a root, or one called by a frame that comes before a thread's
    // function.
    const bool first = parent == 0;
    if (!first && (parent >= starts.size() || !starts[parent])) {
      if (known.function == 0) {
        const finder::found what = functions.find(stacks[id].ip, id);
        known = {functions.function_of(what, false) & 0x7fff'ffff, what.direct};
      }
      frames_[id] = known;
      if (depths_[parent] != 0) depths_[id] = one_more(depths_[parent]);
      any_is_cut_ = any_is_cut_ || cut(id);
      continue;
    }
    const auto [at, fresh] = outermost.try_emplace(addresses.of(id));
    if (fresh) at->second = functions.find(stacks[id].ip, id);
    const finder::found& what = at->second;
    bool is_root = false;
    bool is_start = false;
    if (what.runtime || is_start_of_thread(what.name)) {
      // The thread's function may be inlined into its caller.
      is_root = true;
      is_start = what.runtime || what.calls_start;
    } else {
      is_root = what.name == "main" || !first;
    }
    frames_[id] = {functions.function_of(what, is_root) & 0x7fff'ffff, what.direct};
    if (!is_root) {
      depths_[id] = 1;
      known = frames_[id];
      continue;
    }
    starts.resize(id + 1);
    starts[id] = is_start;
  }
}

source_line function_table::line(std::uint32_t stack) const {
  source_line out{functions_[of(stack)].name, "", 0};
  const auto& symbols = trace_.symbols();
  const auto lines = trace_.lines_of(stack);
  if (lines.empty()) return out;
  // The innermost function outside the allocators.
  auto of_heap = std::find_if(lines.rbegin(), lines.rend(), [&](const symbol_line& one) {
    return is_allocation_function(symbols.strings[one.function]);
  });
  if (of_heap == lines.rbegin()) ++of_heap;
  // For an inlined library function, take the program's own function that contains it.
  const auto own = std::find_if(of_heap.base(), lines.end(), [&](const symbol_line& one) {
    return !is_of_library_header(symbols.strings[one.function], symbols.strings[one.file]);
  });
  const auto at = own == lines.end() ? std::prev(own) : own;
  if (const std::string& name = symbols.strings[at->function]; !name.empty()) {
    out.function = without_clone(name);
  }
  out.file = symbols.strings[at->file];
  out.line = at->line;
  return out;
}

}  // namespace mallard::profile
