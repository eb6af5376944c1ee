// Purpose: holds measured results of Benchmarks II to IV against the goals of the project.
//
//   mallard_series_goals locality.jsonl utilization.jsonl contention.jsonl
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "goal_table.hpp"
#include "lab/results.hpp"

namespace {

using mallard::lab::coordinates;
using mallard::lab::series_cell;

std::int64_t number(const coordinates& at, const char* name) {
  const auto found = at.find(name);
  return found == at.end() ? -1 : std::get<std::int64_t>(found->second);
}

std::string word(const coordinates& at, const char* name) {
  const auto found = at.find(name);
  return found == at.end() ? "" : std::get<std::string>(found->second);
}

class cells {
 public:
  explicit cells(const char* path) : file_(mallard::lab::load_results(path)) {}

  using where = std::function<bool(const coordinates&)>;

  // A measure of every good cell of a column that lies there, with the cell.
  struct figure {
    const series_cell* cell;
    double value;
  };
  std::vector<figure> figures(const std::string& column, const char* measure,
                              const where& there) const {
    std::vector<figure> out;
    for (const series_cell& cell : file_.series) {
      if (!cell.ok() || cell.strategy + "@" + cell.peer != column || !there(cell.at)) continue;
      if (const auto* found = cell.find(measure)) out.push_back({&cell, found->median});
    }
    return out;
  }

  // A measure of one column by that of another in the cell whose coordinates `matching` gives.
  std::vector<figure> ratios(const std::string& of, const std::string& against, const char* measure,
                             const where& there,
                             const std::function<coordinates(coordinates)>& matching = {}) const {
    std::vector<figure> out;
    for (const figure& f : figures(of, measure, there)) {
      const coordinates at = matching ? matching(f.cell->at) : f.cell->at;
      for (const figure& other :
           figures(against, measure, [&](const coordinates& c) { return c == at; })) {
        if (other.cell->heap == f.cell->heap) out.push_back({f.cell, f.value / other.value});
      }
    }
    return out;
  }

 private:
  mallard::lab::result_file file_;
};

std::string name_of(const series_cell& cell) {
  std::string out;
  for (const auto& [name, value] : cell.at) {
    if (!out.empty()) out += ", ";
    out += name;
    out += ' ';
    out += mallard::lab::to_string(value);
  }
  return out;
}

void worst(goal_table& table, const std::string& what, double goal,
           const std::vector<cells::figure>& all) {
  const auto most = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  if (most == all.end()) return table.at_most(what + ", worst cell", goal, std::nullopt);
  table.at_most(what + ", worst cell", goal, most->value, name_of(*most->cell));
}

void median(goal_table& table, const std::string& what, double goal,
            std::vector<cells::figure> all) {
  if (all.empty()) return table.at_most(what + ", median", goal, std::nullopt);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  table.at_most(what + ", median", goal, all[all.size() / 2].value,
                std::to_string(all.size()) + " cells");
}

cells::where subsystem_from(std::int64_t least) {
  return [least](const coordinates& at) { return number(at, "subsystem") >= least; };
}

void locality_goals(const cells& c, goal_table& table) {
  const auto ours = [&](const char* measure, std::int64_t least) {
    return c.figures("AS7@mallard", measure, subsystem_from(least));
  };
  const auto against = [&](const char* column, const char* measure) {
    return c.ratios("AS7@mallard", column, measure, subsystem_from(4));
  };
  median(table, "degradation, lists of 2^4 and more", 1.05, ours("degradation", 4));
  worst(table, "degradation, lists of 2^8 and more", 1.2, ours("degradation", 8));
  worst(table, "degradation / std's", 1.05, against("AS7@std", "degradation"));
  worst(table, "walk after the shuffle / std's", 1, against("AS7@std", "access_after"));
  median(table, "walk after the shuffle / std's", 1 / 1.1, against("AS7@std", "access_after"));
  worst(table, "shuffle / std's", 1 / 2.0, against("AS7@std", "shuffle"));
  worst(table, "shuffle / Boost's", 1, against("AS7@boost", "shuffle"));
  worst(table, "bytes of memory for a link, lists of 2^16 and more", 26,
        ours("bytes_per_node", 16));
}

void utilization_goals(const cells& c, goal_table& table) {
  const auto blocks = [&](std::int64_t first, std::int64_t last) {
    return c.ratios("AS7@mallard", "AS1@global", "time", [=](const coordinates& at) {
      return number(at, "block") >= first && number(at, "block") <= last;
    });
  };
  worst(table, "utilization, multipool / global heap, blocks to 2^12", 0.30, blocks(0, 12));
  worst(table, "utilization, multipool / global heap, blocks of 2^13 to 2^15", 0.6, blocks(13, 15));
}

coordinates with(coordinates at, const char* name, mallard::lab::coordinate value) {
  at[name] = std::move(value);
  return at;
}

void contention_goals(const cells& c, goal_table& table) {
  const auto in = [](const char* form, std::int64_t threads) {
    return [=](const coordinates& at) {
      return word(at, "form") == form && (threads == 0 || number(at, "threads") == threads);
    };
  };
  worst(table, "one thread, synchronized multipool / multipool, by base", 1.5,
        c.ratios("sync@mallard", "AS9@mallard", "time", in("shared", 1),
                 [](coordinates at) { return with(std::move(at), "form", "own"); }));
  worst(table, "one thread, synchronized multipool / std's", 1 / 8.0,
        c.ratios("sync@mallard", "sync@std", "time", in("shared", 1)));
  worst(table, "freed by another thread, synchronized multipool / std's", 1 / 10.0,
        c.ratios("sync@mallard", "sync@std", "time", in("handoff", 0)));
  worst(table, "freed by another thread, synchronized multipool / global heap", 1,
        c.ratios("sync@mallard", "AS1@global", "time", in("handoff", 0)));
  worst(table, "two threads share a synchronized multipool / one thread", 2 / 1.95,
        c.ratios("sync@mallard", "sync@mallard", "time", in("shared", 2),
                 [](coordinates at) { return with(std::move(at), "threads", std::int64_t{1}); }));
  worst(table, "a multipool for each thread / global heap", 0.20,
        c.ratios("AS7@mallard", "AS1@global", "time", in("own", 0)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s locality.jsonl utilization.jsonl contention.jsonl\n", argv[0]);
    return 2;
  }
  try {
    goal_table table;
    locality_goals(cells(argv[1]), table);
    utilization_goals(cells(argv[2]), table);
    contention_goals(cells(argv[3]), table);
    return table.summary();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mallard_series_goals: %s\n", e.what());
    return 2;
  }
}
