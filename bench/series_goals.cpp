// Purpose: holds measured results of Benchmarks II to IV against the goals of the project.
//
//   mallard_series_goals locality.jsonl utilization.jsonl contention.jsonl
#include <cstdio>
#include <exception>
#include <utility>

#include "result_cells.hpp"

namespace {

cells::where subsystem_from(std::int64_t least) {
  return [least](const place& at) { return number(at, "subsystem") >= least; };
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
    return c.ratios("AS7@mallard", "AS1@global", "time", [=](const place& at) {
      return number(at, "block") >= first && number(at, "block") <= last;
    });
  };
  worst(table, "utilization, multipool / global heap, blocks to 2^12", 0.30, blocks(0, 12));
  worst(table, "utilization, multipool / global heap, blocks of 2^13 to 2^15", 0.6, blocks(13, 15));
}

place with(place at, const char* name, mallard::lab::coordinate value) {
  at[name] = std::move(value);
  return at;
}

void contention_goals(const cells& c, goal_table& table) {
  const auto in = [](const char* form, std::int64_t threads) {
    return [=](const place& at) {
      return word(at, "form") == form && (threads == 0 || number(at, "threads") == threads);
    };
  };
  worst(table, "one thread, synchronized multipool / multipool, by base", 1.5,
        c.ratios("sync@mallard", "AS9@mallard", "time", in("shared", 1),
                 [](place at) { return with(std::move(at), "form", "own"); }));
  worst(table, "one thread, synchronized multipool / std's", 1 / 8.0,
        c.ratios("sync@mallard", "sync@std", "time", in("shared", 1)));
  worst(table, "freed by another thread, synchronized multipool / std's", 1 / 10.0,
        c.ratios("sync@mallard", "sync@std", "time", in("handoff", 0)));
  worst(table, "freed by another thread, synchronized multipool / global heap", 1,
        c.ratios("sync@mallard", "AS1@global", "time", in("handoff", 0)));
  worst(table, "two threads share a synchronized multipool / one thread", 2 / 1.95,
        c.ratios("sync@mallard", "sync@mallard", "time", in("shared", 2),
                 [](place at) { return with(std::move(at), "threads", std::int64_t{1}); }));
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
    const auto file = [&](int number) { return cells({argv + number, 1}); };
    locality_goals(file(1), table);
    utilization_goals(file(2), table);
    contention_goals(file(3), table);
    return table.summary();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mallard_series_goals: %s\n", e.what());
    return 2;
  }
}
