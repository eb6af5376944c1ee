#include "profile/trace/symbolizer.hpp"

#include <backtrace.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "profile/trace/demangled.hpp"
#include "profile/trace/elf_file.hpp"

// In place of dl_iterate_phdr for libbacktrace. It takes the file it is given for the program that
// asks, looks for it where that was loaded, and reads all libraries of that program, too, again for
// each file: tenths of a second where debug information is compressed. Here the file is alone, at
// the addresses that are in it.
extern "C" int mallard_backtrace_modules(int (*visit)(dl_phdr_info*, std::size_t, void*),
                                         void* data);
extern "C" int mallard_backtrace_modules(int (*visit)(dl_phdr_info*, std::size_t, void*),
                                         void* data) {
  dl_phdr_info program{};
  program.dlpi_name = "";
  return visit(&program, sizeof program, data);
}

namespace mallard::profile {
namespace {

class string_pool {
 public:
  explicit string_pool(symbol_table& table) : table_(table) {}
  std::uint32_t add(const std::string& text) {
    const auto [at, fresh] =
        ids_.try_emplace(text, static_cast<std::uint32_t>(table_.strings.size()));
    if (fresh) table_.strings.push_back(text);
    return at->second;
  }

 private:
  symbol_table& table_;
  std::unordered_map<std::string, std::uint32_t> ids_{{"", 0}};
};

// A file, with what has been read of it.
class module_symbols {
 public:
  explicit module_symbols(const std::string& path)
      : path_(path), functions_(described_functions(path)), entry_(elf_file(path).entry()) {
    state_ = backtrace_create_state(path_.c_str(), 0, &ignore, nullptr);
  }

  // `ip` is a return address: what was called from is before it.
  symbol find(std::uint64_t ip, std::uint64_t load_bias, string_pool& strings) {
    symbol out;
    const std::uint64_t place = ip - 1 - load_bias;
    wanted_ = &out;
    strings_ = &strings;
    if (state_) {
      const auto pc = static_cast<std::uintptr_t>(place);
      backtrace_pcinfo(state_, pc, &add_line, &ignore, this);
      backtrace_syminfo(state_, pc, &add_name, &ignore, this);
    }
    // In stripped programs nothing else tells where the stacks begin.
    constexpr std::uint64_t longest_start = 64;
    if (out.lines.empty() && entry_ != 0 && place - entry_ < longest_start) {
      add_name(this, 0, "_start", entry_, 0);
    }
    if (out.start != 0) out.start += load_bias;
    if (const described_function* const one = function_at(functions_, place);
        out.start == 0 && one != nullptr) {
      out.start = one->start + load_bias;
    }
    return out;
  }

 private:
  static void ignore(void*, const char*, int) {}
  static int add_line(void* self, std::uintptr_t, const char* file, int line, const char* name) {
    auto& mine = *static_cast<module_symbols*>(self);
    if (!name) return 0;
    mine.wanted_->lines.push_back({mine.strings_->add(demangled(name)),
                                   file ? mine.strings_->add(file) : 0,
                                   static_cast<std::uint32_t>(std::max(line, 0))});
    return 0;
  }
  // The symbol table has the beginning, and the name where there is no debug information.
  static void add_name(void* self, std::uintptr_t, const char* name, std::uintptr_t start,
                       std::uintptr_t) {
    auto& mine = *static_cast<module_symbols*>(self);
    if (!name) return;
    mine.wanted_->start = start;
    if (mine.wanted_->lines.empty()) {
      mine.wanted_->lines.push_back({mine.strings_->add(demangled(name)), 0, 0});
    }
  }

  const std::string path_;  // libbacktrace keeps a pointer to it
  std::vector<described_function> functions_;
  std::uint64_t entry_;
  backtrace_state* state_;
  string_pool* strings_ = nullptr;
  symbol* wanted_ = nullptr;
};

// The path, and what changes with the file's contents.
std::string identity_of(const module_info& module) {
  if (!module.build_id.empty()) return module.path + '\n' + module.build_id;
  struct stat file{};
  if (stat(module.path.c_str(), &file) != 0) return module.path;
  return module.path + '\n' + std::to_string(file.st_dev) + ' ' + std::to_string(file.st_ino) +
         ' ' + std::to_string(file.st_size) + ' ' + std::to_string(file.st_mtim.tv_sec) + '.' +
         std::to_string(file.st_mtim.tv_nsec);
}

// libbacktrace cannot give back what it has read, tens of megabytes of a file: so a process reads
// each file once.
struct known_modules {
  std::mutex lock;
  std::map<std::string, std::unique_ptr<module_symbols>> by_identity;

  static known_modules& all() {
    static known_modules modules;
    return modules;
  }
  // The lock is held.
  module_symbols& of(const module_info& module) {
    std::unique_ptr<module_symbols>& known = by_identity[identity_of(module)];
    if (!known) known = std::make_unique<module_symbols>(module.path);
    return *known;
  }
};

using module_addresses = std::map<std::uint32_t, std::vector<std::uint64_t>>;  // each once

// Stacks may be millions, of few addresses. Where no module was unloaded, an address is the same
// one's in all of them.
template <class Stacks>
module_addresses addresses_of(const Stacks& stacks, const std::vector<module_info>& modules) {
  const bool lasting = std::all_of(modules.begin(), modules.end(), [](const module_info& one) {
    return one.last_stack == UINT32_MAX;
  });
  module_addresses out;
  std::unordered_set<std::uint64_t> met;
  std::set<symbol_key> seen;
  for (std::uint32_t id = 1; id < stacks.size(); ++id) {
    const std::uint64_t ip = stacks[id].ip;
    if (!met.insert(ip).second && lasting) continue;
    const std::uint32_t module = module_at(modules, ip, id);
    if (module == modules.size()) continue;
    if (seen.insert({module, ip}).second) out[module].push_back(ip);
  }
  return out;
}

place_flow in_process(place_flow flow, std::uint64_t load_bias) {
  if (flow.calls != 0) flow.calls += load_bias;
  for (std::uint64_t& place : flow.next) place += load_bias;
  if (flow.begins) {
    for (std::uint64_t& place : *flow.begins) place += load_bias;
  }
  return flow;
}

symbol_table find_symbols(const module_addresses& of_module,
                          const std::vector<module_info>& modules) {
  known_modules& known = known_modules::all();
  const std::lock_guard hold(known.lock);
  symbol_table out;
  string_pool strings(out);
  for (const auto& [index, addresses] : of_module) {
    const module_info& module = modules[index];
    if (!module.build_id.empty() && build_id_of(module.path) != module.build_id) continue;
    module_symbols& symbols = known.of(module);
    std::vector<symbol> found;
    std::vector<code_place> places;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      found.push_back(symbols.find(addresses[i], module.load_bias, strings));
      const std::uint64_t start = found[i].start;
      places.push_back(
          {addresses[i] - module.load_bias, start == 0 ? 0 : start - module.load_bias});
    }
    std::vector<place_flow> flows = flows_of(module.path, places);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      found[i].direct = flows[i].calls != 0;
      found[i].flow = in_process(std::move(flows[i]), module.load_bias);
      if (found[i].start == 0 && found[i].lines.empty()) continue;
      out.of.emplace(symbol_key{index, addresses[i]}, std::move(found[i]));
    }
  }
  return out;
}

}  // namespace

symbol_table symbolizer::find(std::span<const stack_node> stacks,
                              const std::vector<module_info>& modules) {
  return find_symbols(addresses_of(stacks, modules), modules);
}

symbol_table symbolizer::find(const stack_list& stacks, const std::vector<module_info>& modules) {
  return find_symbols(addresses_of(stacks, modules), modules);
}

void symbolizer::add(trace_writer& trace) {
  trace.symbols(find(trace.stacks().nodes(), trace.modules()));
}

void find_missing_symbols(trace_reader& trace) {
  if (!trace.symbols().of.empty()) return;
  std::vector<module_info> modules = trace.facts().modules;
  for (module_info& one : modules) {
    std::error_code none;
    const bool there = !one.build_id.empty() && std::filesystem::is_regular_file(one.path, none);
    if (!there || build_id_of(one.path) != one.build_id) one.segments.clear();
  }
  trace.set_symbols(symbolizer().find(trace.stacks(), modules));
}

}  // namespace mallard::profile
