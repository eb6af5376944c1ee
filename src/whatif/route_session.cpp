#include "whatif/route_session.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "process/process.hpp"
#include "profile/nearest_names.hpp"
#include "profile/subsystem_rules.hpp"

namespace mallard::whatif {
namespace {

using route::session;

constexpr std::uint64_t offset_mask = (std::uint64_t{1} << route::module_shift) - 1;

[[noreturn]] void fail_unmatched(const std::string& kind, const std::string& text,
                                 const std::set<std::string>& seen) {
  const std::string what = fmt::format("{}:{} matches nothing", kind, text);
  if (seen.empty()) {
    throw std::runtime_error(
        fmt::format("{}: the program has no {} that is known by a name", what, kind));
  }
  const std::vector<std::string> close = profile::nearest_names(text, seen, 3);
  throw std::runtime_error(
      close.empty() ? what + " that allocates in this program, and no name is similar"
                    : fmt::format("{} that allocates; nearest: {}", what, fmt::join(close, ", ")));
}

}  // namespace

route_session::route_session(const conditions& all, bool by_frame_pointers) : conditions_(all) {
  const preload::session_file made = preload::make_session(route::session_kind, sizeof(session));
  if (made.memory == nullptr) process::fail_to_share(sizeof(session));
  file_ = made.file;
  // All zeros already; that of a session would write to each of its pages.
  session_ = static_cast<session*>(made.memory);
  preload::publish(*session_, route::session_kind, sizeof(session));
  session_->by_frame_pointers = by_frame_pointers;
  for (const std::string& one : all.scopes) {
    std::strncpy(session_->scopes[session_->scope_count++], one.c_str(), route::name_bytes - 1);
  }
}

route_session::~route_session() {
  munmap(session_, sizeof(session));
  close(file_);
}

std::string route_session::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), file_);
}

void route_session::prepare(const std::vector<route::route_rule>& routes, purpose what) {
  const bool names_survivors = what == purpose::names;
  session_->route_count = static_cast<std::uint32_t>(routes.size());
  std::copy(routes.begin(), routes.end(), session_->routes);
  session_->names_survivors = names_survivors;
  session_->by = what == purpose::by_malloc  ? route::serving::malloc
                 : what == purpose::in_turns ? route::serving::in_turns
                                             : route::serving::resources;
  session_->walks =
      names_survivors || !conditions_.functions.empty() || !conditions_.modules.empty();
  session_->no_address_space = 0;
  for (auto& one : session_->peak_bytes) one = 0;
  for (route::survivor_site& one : session_->sites) {
    one.key = 0;
    one.blocks = 0;
  }
  for (auto& groups : session_->turns) {
    for (route::turn_sums& one : groups) {
      for (auto* const sums : {one.nanoseconds, one.blocks}) sums[0] = sums[1] = 0;
    }
  }
  for (route::thread_counts& one : session_->threads) {
    one.pid = 0;
    for (route::route_counts& counts : one.of) {
      counts.blocks = counts.bytes = counts.passed_on = counts.resets = counts.survivors =
          counts.freed_elsewhere = 0;
    }
  }
}

std::vector<std::string> route_session::module_paths() const {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < session_->module_count.load(); ++i) {
    out.emplace_back(session_->modules[i].text);
  }
  return out;
}

void route_session::mark_addresses() {
  std::vector<route::address_marks*> fresh;
  for (route::address_marks& one : session_->addresses) {
    if (one.key.load() != 0 && one.marks.load() == 0) fresh.push_back(&one);
  }
  if (fresh.empty()) return;
  // After the addresses: a program that runs may meet further modules meanwhile, and theirs.
  const std::vector<std::string> paths = module_paths();
  // As stacks of one frame each, in modules that lie where the keys say.
  std::vector<profile::module_info> modules(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    modules[i].path = paths[i];
    modules[i].load_bias = std::uint64_t{i + 1} << route::module_shift;
    modules[i].segments = {{0, offset_mask}};
  }
  profile::stack_table stacks;
  for (const route::address_marks* one : fresh) stacks.child(0, {one->key.load(), 0});
  const profile::symbol_table symbols = symbolizer_.find(stacks.nodes(), modules);
  for (const auto& [key, symbol] : symbols.of) {
    for (const profile::symbol_line& line : symbol.lines) {
      names_[key.ip].push_back(
          {symbols.strings[line.function], symbols.strings[line.file], line.line});
    }
  }
  for (route::address_marks* one : fresh) {
    const std::uint64_t key = one->key.load();
    const std::string& path = paths[(key >> route::module_shift) - 1];
    std::uint32_t marks = route::marks::known;
    if (is_runtime(path)) marks |= route::marks::runtime;
    for (std::size_t i = 0; i < conditions_.modules.size(); ++i) {
      if (is_module(path, conditions_.modules[i])) marks |= route::marks::of_module(i);
    }
    const std::vector<place_name> names = names_of(key);
    bool is_whole = true;
    for (std::size_t i = 0; i < conditions_.functions.size(); ++i) {
      const function_condition& wanted = conditions_.functions[i];
      if (std::any_of(names.begin(), names.end(), [&](const place_name& name) {
            return wanted.holds_for(name.function, name.file, name.line);
          })) {
        marks |= route::marks::of_function(i);
        // The frame's own function comes last.
        is_whole &= wanted.file.empty() &&
                    wanted.holds_for(names.back().function, names.back().file, names.back().line);
      }
    }
    one->marks = marks | (is_whole ? route::marks::whole_frame : 0);
  }
  session_->epoch.fetch_add(1, std::memory_order_release);
}

void route_session::mark_during(const std::function<void()>& run) {
  using namespace std::chrono_literals;
  const std::jthread marking([this](const std::stop_token& over) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any waiting;
    // The program looks up all addresses again each time.
    for (auto pause = 20ms; !over.stop_requested(); pause = std::min(2 * pause, 500ms)) {
      waiting.wait_for(lock, over, pause, [] { return false; });
      try {
        if (!over.stop_requested()) mark_addresses();
      } catch (const std::exception&) {
        return;  // who marks the rest is told
      }
    }
  });
  run();
}

std::vector<route_session::place_name> route_session::names_of(std::uint64_t key) const {
  const auto found = names_.find(key);
  return found == names_.end() ? std::vector<place_name>() : found->second;
}

void route_session::check() const {
  std::uint32_t met = 0;
  for (const route::address_marks& one : session_->addresses) met |= one.marks.load();
  for (std::size_t i = 0; i < conditions_.functions.size(); ++i) {
    if ((met & route::marks::of_function(i)) != 0) continue;
    std::set<std::string> seen;
    for (const auto& [key, names] : names_) {
      for (const place_name& name : names) {
        seen.insert(conditions_.functions[i].file.empty()
                        ? profile::short_name(name.function)
                        : fmt::format("line:{}:{}", profile::file_name(name.file), name.line));
      }
    }
    const function_condition& one = conditions_.functions[i];
    if (!one.file.empty()) fail_unmatched("line", one.text.substr(5), seen);
    fail_unmatched("function", one.text, seen);
  }
  for (std::size_t i = 0; i < conditions_.modules.size(); ++i) {
    if ((met & route::marks::of_module(i)) != 0) continue;
    std::set<std::string> seen;
    for (const std::string& path : module_paths()) seen.insert(path.substr(path.rfind('/') + 1));
    fail_unmatched("module", conditions_.modules[i], seen);
  }
  for (std::size_t i = 0; i < conditions_.scopes.size(); ++i) {
    if ((session_->entered_scopes.load() >> i & 1) != 0) continue;
    std::set<std::string> seen;
    for (std::size_t j = 0; j < route::most_seen_scopes && session_->seen_scopes[j][0] != 0; ++j) {
      seen.emplace(session_->seen_scopes[j]);
    }
    fail_unmatched("scope", conditions_.scopes[i], seen);
  }
}

std::vector<route_outcome> route_session::outcomes(const std::vector<whatif_route>& of) const {
  std::vector<route_outcome> out;
  for (std::size_t i = 0; i < of.size(); ++i) {
    route_outcome one{.pattern = of[i].pattern, .strategy = of[i].strategy};
    for (const route::thread_counts& thread : session_->threads) {
      one.blocks += thread.of[i].blocks.load();
      one.bytes += thread.of[i].bytes.load();
      one.passed_on += thread.of[i].passed_on.load();
      one.resets += thread.of[i].resets.load();
      one.survivors += thread.of[i].survivors.load();
      one.freed_elsewhere += thread.of[i].freed_elsewhere.load();
    }
    one.peak_bytes = session_->peak_bytes[i].load();
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<double> route_session::saved() const {
  constexpr std::size_t enough_groups = 8;
  std::vector<double> out(route::turn_groups);
  std::vector<bool> is_told(route::turn_groups, true);
  for (std::uint32_t i = 0; i < session_->route_count; ++i) {
    std::uint64_t blocks = 0;
    for (const route::thread_counts& thread : session_->threads) {
      blocks += thread.of[i].blocks.load();
    }
    for (std::size_t group = 0; group < route::turn_groups; ++group) {
      const auto seconds_of_block = [&](route::server by) {
        const route::turn_sums& sums = session_->turns[i][group];
        const auto which = static_cast<std::size_t>(by);
        return 1e-9 * static_cast<double>(sums.nanoseconds[which].load()) /
               static_cast<double>(sums.blocks[which].load());
      };
      const double saved =
          seconds_of_block(route::server::malloc) - seconds_of_block(route::server::resource);
      is_told[group] = is_told[group] && std::isfinite(saved);
      out[group] += saved * static_cast<double>(blocks);
    }
  }
  std::size_t told = 0;
  for (std::size_t group = 0; group < out.size(); ++group) {
    if (is_told[group]) out[told++] = out[group];
  }
  out.resize(told < enough_groups ? 0 : told);
  return out;
}

std::vector<std::vector<std::string>> route_session::survivor_names() const {
  std::vector<std::map<std::string, std::uint64_t>> counts(route::most_routes);
  for (const route::survivor_site& one : session_->sites) {
    const std::uint64_t key = one.key.load();
    if (key == 0) continue;
    const std::uint64_t route = (key >> route::route_shift) - 1;
    const std::uint64_t address = key & ((std::uint64_t{1} << route::route_shift) - 1);
    const std::vector<place_name> names = names_of(address);
    if (route < counts.size() && !names.empty()) {
      counts[route][profile::short_name(names.front().function)] += one.blocks.load();
    }
  }
  std::vector<std::vector<std::string>> out(route::most_routes);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::vector<std::pair<std::uint64_t, std::string>> order;
    for (const auto& [name, blocks] : counts[i]) order.emplace_back(blocks, name);
    std::sort(order.rbegin(), order.rend());
    for (const auto& [blocks, name] : order) out[i].push_back(name);
  }
  return out;
}

}  // namespace mallard::whatif
