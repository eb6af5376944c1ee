#include "lab/bench/rivals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/bench/plan.hpp"
#include "lab/measuring/malloc_library.hpp"
#include "lab/measuring/strategies.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view shared_strategies[] = {"sync", "mutex"};

template <class T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

template <class T>
bool has(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

const strategy& strategy_named(std::string_view option, std::string_view name) {
  const strategy* found = find_strategy(name);
  if (!found) unknown_value(option, name, "AS1 to AS14, AS3n to AS6n, sync, mutex, all");
  return *found;
}

// AS1 belongs to no library. AS2 belongs to each library in benches with a buffer, and to none in
// others; the kernels know which.
std::vector<contender> columns_of(const std::vector<std::string>& strategies,
                                  const std::vector<std::string>& peers) {
  std::vector<contender> columns;
  const auto add = [&](const std::string& strategy, std::string_view peer) {
    contender one;
    one.strategy = strategy;
    one.peer = peer;
    columns.push_back(std::move(one));
  };
  for (const std::string& name : strategies) add(name, global_peer);
  for (const std::string& peer : peers) {
    for (const std::string& name : strategies) add(name, peer);
  }
  return columns;
}

// Our strategies come from one list, those of other libraries from another if there is one.
std::vector<contender> choose_strategies(const rivals_of& who, const rivals_request& asked) {
  const std::string usual = asked.quick && !who.quick.empty() ? who.quick : who.usual;
  const std::string ours = asked.strategies.value_or(usual);
  std::string others = ours;
  if (asked.peer_strategies) {
    others = *asked.peer_strategies;
  } else if (!asked.strategies && asked.quick && !who.quick_others.empty()) {
    others = who.quick_others;
  }
  std::vector<std::string> own;
  std::vector<std::string> foreign;
  for (const std::string& peer : parse_peers(asked.peers)) {
    (peer == "mallard" ? own : foreign).push_back(peer);
  }
  std::vector<contender> columns = columns_of(parse_strategies("--strategies", ours), own);
  const auto more = columns_of(parse_strategies("--peer-strategies", others), foreign);
  std::copy_if(more.begin(), more.end(), std::back_inserter(columns),
               [](const contender& one) { return one.peer != global_peer; });
  return columns;
}

std::vector<contender> choose_columns(const rivals_of& who, const rivals_request& asked) {
  const auto peers = parse_peers(asked.peers);
  std::vector<contender> there;
  std::vector<std::string> names;
  for (const contender& one : who.listed) {
    if (one.peer != global_peer && !has(peers, one.peer)) continue;
    there.push_back(one);
    names.push_back(column_name(one.strategy, one.peer));
  }
  const auto chosen = parse_names("--columns", asked.columns.value_or("all"), names);
  std::vector<contender> columns;
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (has(chosen, names[i])) columns.push_back(there[i]);
  }
  return columns;
}

chosen_rivals choose_mallocs(const rivals_request& asked) {
  std::vector<std::string> wanted = split_list(asked.mallocs.value_or("all"));
  malloc_list all = find_mallocs(asked.program);
  for (const std::string& text : asked.more_mallocs) {
    const malloc_library more = find_malloc("--allocator", text, all);
    std::erase_if(all.found, [&](const auto& one) { return one.name == more.name; });
    all.found.push_back(more);
    wanted.push_back(more.name);
  }
  all = lab::choose_mallocs("--allocators", wanted, all);
  chosen_rivals rivals;
  rivals.heaps = {"clean"};
  rivals.missing = std::move(all.missing);
  for (const malloc_library& one : all.found) {
    contender who;
    who.malloc = one.name;
    who.library = one.file;
    who.process = process_kind::executed;
    rivals.contenders.push_back(std::move(who));
  }
  return rivals;
}

}  // namespace

std::vector<std::string> parse_strategies(std::string_view option, std::string_view text) {
  std::vector<std::string> names;
  for (const std::string& item : split_list(text == "all" ? "AS1-AS6n,sync,mutex" : text)) {
    if (std::find(std::begin(shared_strategies), std::end(shared_strategies), item) !=
        std::end(shared_strategies)) {
      add_once(names, item);
      continue;
    }
    const auto dash = item.find('-');
    const strategy& first = strategy_named(option, std::string_view(item).substr(0, dash));
    const strategy& last =
        dash == item.npos ? first : strategy_named(option, std::string_view(item).substr(dash + 1));
    if (&last < &first) {
      throw usage_error(fmt::format("{}: '{}' is a range from high to low", option, item));
    }
    for (const strategy* one = &first; one <= &last; ++one) {
      add_once(names, std::string(one->name));
    }
  }
  return names;
}

std::vector<std::string> parse_peers(std::string_view text) {
  for (const std::string& item : split_list(text)) {
    for (const skipped_peer& missing : missing_peers()) {
      if (item == missing.peer) {
        throw usage_error(fmt::format("--peers: '{}' is not available: {}", item, missing.reason));
      }
    }
  }
  std::vector<std::string> known;
  for (const peer_version& peer : available_peers()) known.push_back(peer.name);
  return parse_names("--peers", text, known);
}

std::vector<std::string> parse_heaps(std::string_view text) {
  return parse_names("--heap", text == "both" ? "all" : text, {"clean", "aged"});
}

chosen_rivals choose_rivals(const bench& what, const rivals_request& asked) {
  const rivals_of& who = what.contenders;
  if (who.kind == rivals::mallocs) return choose_mallocs(asked);
  chosen_rivals chosen;
  chosen.heaps = parse_heaps(asked.heaps.value_or(asked.quick ? who.quick_heaps : who.usual_heaps));
  chosen.contenders = make_contenders(
      who.kind == rivals::columns ? choose_columns(who, asked) : choose_strategies(who, asked),
      chosen.heaps);
  for (contender& one : chosen.contenders) one.malloc = malloc_name();
  return chosen;
}

}  // namespace mallard::lab
