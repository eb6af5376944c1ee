// Purpose: holds measured results against the goals of the project and prints one line for each.
//
//   mallard_goals density.jsonl micro.json instructions.txt footprint.json
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "goal_table.hpp"
#include "lab/results/results.hpp"

namespace {

using mallard::lab::cell_key;
using mallard::lab::cell_result;

struct column {
  std::string strategy;
  std::string peer;
  std::string name() const { return mallard::lab::column_name(strategy, peer); }
};

// How much longer `of` takes than `against`, over the cells that have both.
struct ratios {
  std::vector<double> each;
  double worst = 0;
  std::string worst_cell;
  int clearly_slower = 0;  // cells whose confidence intervals do not even touch

  double geometric_mean() const {
    double sum = 0;
    for (double r : each) sum += std::log(r);
    return std::exp(sum / static_cast<double>(each.size()));
  }
};

class density {
 public:
  explicit density(const char* path) : file_(mallard::lab::load_results(path)) {
    for (const cell_result& cell : file_.cells) {
      if (cell.ok() && cell.bench == "density") cells_[cell.key()] = &cell;
    }
  }

  const std::vector<std::string>& heaps() const { return file_.run.heaps; }

  ratios compare(const column& of, const column& against, const std::string& heap,
                 const std::vector<std::string>& structures = {}) const {
    ratios out;
    for (const auto& [key, cell] : cells_) {
      if (key.strategy != of.strategy || key.peer != of.peer || key.heap != heap) continue;
      if (!structures.empty() &&
          std::find(structures.begin(), structures.end(), key.at.word("ds")) == structures.end()) {
        continue;
      }
      cell_key other = key;
      other.strategy = against.strategy;
      other.peer = against.peer;
      const auto found = cells_.find(other);
      if (found == cells_.end()) continue;
      const double ratio = cell->median_of("time") / found->second->median_of("time");
      out.each.push_back(ratio);
      if (cell->find("time")->ci_low > found->second->find("time")->ci_high) ++out.clearly_slower;
      if (ratio > out.worst) {
        out.worst = ratio;
        out.worst_cell = mallard::lab::to_string(key.at);
      }
    }
    return out;
  }

 private:
  mallard::lab::result_file file_;
  std::map<cell_key, const cell_result*> cells_;
};

const column global{"AS1", "global"};

column ours(const char* strategy) {
  return {strategy, "mallard"};
}

// Both the mean over all cells and the worst of them, as time ratios.
void add_ratio(goal_table& table, const std::string& what, double mean_goal, double worst_goal,
               const ratios& r) {
  const bool any = !r.each.empty();
  if (mean_goal > 0) {
    table.at_most(what + ", geometric mean", mean_goal,
                  any ? std::optional(r.geometric_mean()) : std::nullopt);
  }
  if (worst_goal > 0) {
    table.at_most(what + ", worst cell", worst_goal, any ? std::optional(r.worst) : std::nullopt,
                  r.worst_cell + "; intervals apart in " + std::to_string(r.clearly_slower) +
                      " of " + std::to_string(r.each.size()) + " cells");
  }
}

void density_goals(const density& d, const std::string& heap, goal_table& table) {
  const std::string on = " [" + heap + "]";
  const auto row = [&](const column& of, const column& against, double mean, double worst,
                       const std::vector<std::string>& structures = {}) {
    std::string what = of.name() + " / " + against.name() + on;
    if (!structures.empty()) what += ", sets of ints";
    add_ratio(table, what, mean, worst, d.compare(of, against, heap, structures));
  };
  row(ours("AS7"), {"AS7", "std"}, 1 / 4.0, 1);
  row(ours("AS7"), {"AS7", "boost"}, 1 / 1.5, 1.03);
  if (heap == "clean") row(ours("AS7"), global, 1 / 2.0, 1);
  row(ours("AS9"), ours("AS7"), 1.10, 0);
  row(ours("AS3"), {"AS3", "std"}, 1 / 1.25, 0);
  row(ours("AS5"), {"AS5", "std"}, 0, 1);
  row(ours("AS3n"), ours("AS3"), 0, 1.15);
  row(ours("AS11"), ours("AS3"), 1.25, 0);
  const char* const destroyed_and_winked[][2] = {{"AS3", "AS4"},   {"AS5", "AS6"},
                                                 {"AS7", "AS8"},   {"AS9", "AS10"},
                                                 {"AS11", "AS12"}, {"AS13", "AS14"}};
  for (const auto& [destroyed, winked] : destroyed_and_winked) {
    row(ours(winked), ours(destroyed), 0, 1);
  }
  row(ours("AS8"), ours("AS7"), 1 / 1.3, 0, {"DS3", "DS7", "DS11"});
}

nlohmann::json read_json(const char* path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string(path) + ": cannot be read");
  return nlohmann::json::parse(in);
}

// The ratio of the medians of two benchmarks of one Google Benchmark run.
double median_ratio(const nlohmann::json& micro, const std::string& of,
                    const std::string& against) {
  const auto median = [&](const std::string& name) {
    for (const auto& b : micro.at("benchmarks")) {
      if (b.at("run_name") == name && b.value("aggregate_name", "") == "median") {
        return b.at("cpu_time").get<double>();
      }
    }
    throw std::runtime_error("no median of " + name);
  };
  return median(of) / median(against);
}

// "direct_allocate 5.0" per line, as bench/run.sh writes them.
std::map<std::string, double> read_instructions(const char* path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string(path) + ": cannot be read");
  std::map<std::string, double> out;
  std::string name;
  for (double count = 0; in >> name >> count;) out[name] = count;
  return out;
}

void operation_goals(const nlohmann::json& micro, const std::map<std::string, double>& counted,
                     goal_table& table) {
  table.at_most("allocate and deallocate 24 bytes, warm / ideal list", 1.4,
                median_ratio(micro, "pair<ours>", "pair<ideal_list>"));
  table.at_most("bump / ideal bump", 1.3, median_ratio(micro, "bump_mallard", "bump_ideal"));
  const double allocate = counted.at("pairs_direct_allocate");
  const double deallocate = counted.at("pairs_direct_deallocate");
  table.at_most("instructions of a pair's allocate, direct", 14, allocate);
  table.at_most("instructions of a pair's deallocate, direct", 10, deallocate);
  table.at_most("instructions of a pair's allocate, abstract base", 14 + 12,
                counted.at("pairs_base_allocate"));
  table.at_most("instructions of a pair's deallocate, abstract base", 10 + 12,
                counted.at("pairs_base_deallocate"));
}

void memory_goals(const nlohmann::json& footprint, goal_table& table) {
  const double live = footprint.at("live_bytes");
  const double reserved = footprint.at("reserved_bytes");
  table.at_most("memory over 10^6 live nodes of 24 bytes, percent", 1.5,
                (reserved / live - 1) * 100);
  table.at_most("slabs kept after erasing all of them", footprint.at("empty_slabs_kept"),
                footprint.at("slabs_after_erase"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s density.jsonl micro.json instructions.txt footprint.json\n",
                 argv[0]);
    return 2;
  }
  try {
    goal_table table;
    const density d(argv[1]);
    for (const std::string& heap : d.heaps()) density_goals(d, heap, table);
    operation_goals(read_json(argv[2]), read_instructions(argv[3]), table);
    memory_goals(read_json(argv[4]), table);
    return table.summary();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mallard_goals: %s\n", e.what());
    return 2;
  }
}
