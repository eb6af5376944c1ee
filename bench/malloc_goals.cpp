// Purpose: holds measured results of the benches of mallocs against the goals of the project.
//
//   mallard_malloc_goals RESULT.jsonl...
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "goal_table.hpp"
#include "lab/measuring/statistics.hpp"
#include "lab/results/results.hpp"

namespace {

using mallard::lab::cell_result;
using mallard::lab::place;

constexpr const char* ours = "mallard";

// A measure of all good cells of a bench: by place and malloc. Less is better.
class figures {
 public:
  figures(const std::vector<cell_result>& cells, const std::string& bench,
          const std::string& measure) {
    for (const cell_result& cell : cells) {
      // The hardened one is no peer: it does more.
      if (cell.bench != bench || cell.malloc == "mallard-hardened") continue;
      const auto* found = cell.ok() ? cell.find(measure) : nullptr;
      // A place where ours failed is missed, one where a peer failed is compared with the others.
      if (!found && cell.malloc == ours) ++failed_;
      if (!found || !(found->median > 0)) continue;
      places_[cell.at][cell.malloc] = measure == "throughput" ? 1 / found->median : found->median;
      if (cell.malloc != ours) peers_.insert(cell.malloc);
    }
  }

  const std::set<std::string>& peers() const { return peers_; }

  // Ours by the best peer's, at each place that has both.
  struct ratio {
    double value;
    std::string where;
  };
  std::vector<ratio> to_best() const {
    std::vector<ratio> all;
    for (const auto& [at, values] : places_) {
      const auto own = values.find(ours);
      const std::string* best = nullptr;
      for (const auto& [name, value] : values) {
        if (name != ours && (!best || value < values.at(*best))) best = &name;
      }
      if (own == values.end() || !best) continue;
      all.push_back({own->second / values.at(*best), describe(at) + ", best is " + *best});
    }
    return all;
  }

  std::vector<double> to_peer(const std::string& peer) const {
    std::vector<double> all;
    for (const auto& [at, values] : places_) {
      if (values.contains(ours) && values.contains(peer)) {
        all.push_back(values.at(ours) / values.at(peer));
      }
    }
    return all;
  }

  bool failed() const { return failed_ > 0; }

 private:
  static std::string describe(const place& at) {
    std::string text;
    for (const char* name : {"threads", "chain", "block", "producers"}) {
      const auto found = at.find(name);
      if (found == at.end()) continue;
      text += (text.empty() ? "" : ", ") + std::string(name) + " " +
              mallard::lab::to_string(found->second);
    }
    return text;
  }

  std::map<place, std::map<std::string, double>> places_;
  std::set<std::string> peers_;
  int failed_ = 0;
};

void worst(goal_table& table, const std::string& what, double goal, const figures& measured) {
  const auto all = measured.to_best();
  const auto most = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  if (most == all.end() || measured.failed()) {
    return table.at_most(what + ", worst cell", goal, std::nullopt);
  }
  const auto missed =
      std::count_if(all.begin(), all.end(), [&](const auto& one) { return one.value > goal; });
  table.at_most(what + ", worst cell", goal, most->value,
                most->where + "; " + std::to_string(missed) + " of " + std::to_string(all.size()) +
                    " cells miss it");
}

std::optional<double> mean(const std::vector<double>& ratios) {
  if (ratios.empty()) return std::nullopt;
  return mallard::lab::geometric_mean(ratios);
}

void ahead_of_each_peer(goal_table& table, const std::string& what, const figures& measured) {
  if (measured.peers().empty()) table.at_most(what + " / a peer's", 1, std::nullopt);
  for (const std::string& peer : measured.peers()) {
    const auto ratios = measured.to_peer(peer);
    table.at_most(what + " / " + peer + "'s, geometric mean", 1, mean(ratios),
                  std::to_string(ratios.size()) + " cells");
  }
}

void time_goals(const std::vector<cell_result>& cells, goal_table& table) {
  for (const char* bench : {"churn", "thrash", "scratch", "speed"}) {
    const figures times(cells, bench, "time");
    worst(table, std::string(bench) + ", time / the fastest peer's", 1.02, times);
    ahead_of_each_peer(table, std::string(bench) + ", time", times);
  }
  ahead_of_each_peer(table, "larson, time of a replacement",
                     figures(cells, "larson", "throughput"));
  ahead_of_each_peer(table, "remote-free, time", figures(cells, "remote-free", "time"));
  ahead_of_each_peer(table, "mixed-malloc, time", figures(cells, "mixed-malloc", "time"));
  for (const char* call : {"malloc", "free"}) {
    const figures latency(cells, "mixed-malloc", std::string(call) + "_p999");
    worst(table, std::string("mixed-malloc, 99.9th percentile of ") + call + " / the lowest", 1,
          latency);
  }
}

// Over all places of all benches, by the smallest peer's at each.
void memory_goals(const std::vector<cell_result>& cells, goal_table& table) {
  std::vector<double> all;
  for (const auto& [bench, measure] : {std::pair{"churn", "rss"},
                                       {"thrash", "rss"},
                                       {"scratch", "rss"},
                                       {"speed", "rss"},
                                       {"memory", "peak_rss"},
                                       {"larson", "rss"},
                                       {"remote-free", "rss"},
                                       {"mixed-malloc", "rss"}}) {
    std::vector<double> ratios;
    for (const auto& one : figures(cells, bench, measure).to_best()) ratios.push_back(one.value);
    all.insert(all.end(), ratios.begin(), ratios.end());
    table.at_most(std::string(bench) + ", peak resident set / the smallest peer's, geometric mean",
                  1.05, mean(ratios), std::to_string(ratios.size()) + " cells");
  }
  table.at_most("all, peak resident set / the smallest peer's, geometric mean", 1.05, mean(all),
                std::to_string(all.size()) + " cells");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s RESULT.jsonl...\n", argv[0]);
    return 2;
  }
  try {
    std::vector<cell_result> cells;
    for (int i = 1; i < argc; ++i) {
      const auto file = mallard::lab::load_results(argv[i]);
      cells.insert(cells.end(), file.cells.begin(), file.cells.end());
    }
    goal_table table;
    time_goals(cells, table);
    memory_goals(cells, table);
    return table.summary();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mallard_malloc_goals: %s\n", e.what());
    return 2;
  }
}
