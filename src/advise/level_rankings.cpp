#include "advise/level_rankings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "advise/rank.hpp"

namespace mallard::advise {
namespace {

const std::string as_it_is = "as it is";
// One replay differs from another of the same by so much.
constexpr double told_by_one = 1.05;

std::string name_of(const std::string& replayed) {
  for (const strategy_facts& one : strategies) {
    if (has_resource(one.is) && replay_name(one.is) == replayed) return std::string(one.name);
  }
  return replayed;
}

std::string_view text_of(std::string_view touch) {
  if (touch == "none") return "blocks are not touched";
  if (touch == "first") return "the first byte of blocks is written";
  if (touch == "all") return "blocks are written and read once";
  return "blocks are read in allocation order";
}

struct entry {
  std::string strategy;
  interval times;
};

// The best first; the program as it is among them.
std::vector<entry> order_of(const std::vector<replayed_cell>& cells, const std::string& subsystem,
                            const std::string& touch) {
  std::vector<entry> out = {{as_it_is, {1, 1, 1}}};
  for (const replayed_cell& one : cells) {
    if (one.subsystem == subsystem && one.touch == touch && one.of_operations) {
      out.push_back({name_of(one.strategy), *one.of_operations});
    }
  }
  std::sort(out.begin(), out.end(), [](const entry& a, const entry& b) {
    return a.times.median != b.times.median ? a.times.median > b.times.median
                                            : a.strategy < b.strategy;
  });
  return out;
}

bool is_told(const interval& faster, const interval& slower) {
  return faster.low > slower.high && faster.median > told_by_one * slower.median;
}

level_ranking ranking_of(const std::string& subsystem, const std::string& touch,
                         const std::vector<entry>& order) {
  constexpr std::size_t most_shown = 3;
  level_ranking out{subsystem, touch, {}, {}};
  out.says = fmt::format("{} has another order if {}:",
                         subsystem.empty() ? "the whole program" : subsystem, text_of(touch));
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.order.push_back({order[i].strategy, order[i].times.median});
    if (i >= most_shown) continue;
    out.says += fmt::format("{} {}", i == 0 ? "" : ",", order[i].strategy);
    if (order[i].strategy != as_it_is) out.says += fmt::format(" {:.2f}", order[i].times.median);
  }
  return out;
}

}  // namespace

std::vector<level_ranking> rankings_that_differ(const std::vector<replayed_cell>& cells) {
  std::vector<level_ranking> out;
  std::vector<std::pair<std::string, std::string>> seen;  // subsystem and level
  for (const replayed_cell& one : cells) {
    const std::pair at(one.subsystem, one.touch);
    if (std::find(seen.begin(), seen.end(), at) != seen.end()) continue;
    const auto main = std::find_if(seen.begin(), seen.end(), [&](const auto& earlier) {
      return earlier.first == one.subsystem;
    });
    if (main != seen.end()) {
      const std::vector<entry> order = order_of(cells, one.subsystem, one.touch);
      const entry first = order_of(cells, main->first, main->second).front();
      const auto there = std::find_if(order.begin(), order.end(), [&](const entry& other) {
        return other.strategy == first.strategy;
      });
      // A strategy that was not replayed at both levels cannot be compared.
      if (there != order.end() && is_told(order.front().times, there->times)) {
        out.push_back(ranking_of(one.subsystem, one.touch, order));
      }
    }
    seen.push_back(at);
  }
  return out;
}

}  // namespace mallard::advise
