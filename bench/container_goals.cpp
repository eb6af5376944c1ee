// Purpose: holds measured results of the benches of extended allocators against the goals of the
// project.
//
//   mallard_container_goals RESULT.jsonl...   of expand-forward, shrink, burst and so on, any order
#include <cstdio>
#include <exception>
#include <span>

#include "mallard/adaptive_pool_allocator.hpp"
#include "result_cells.hpp"

namespace {

// Vectors of ints with so many elements, alone where it matters who else grows.
cells::where ints(std::int64_t elements) {
  return [elements](const place& at) {
    return number(at, "elements") == elements && word(at, "type") == "int" &&
           word(at, "form") != "among";
  };
}

cells::where form(const char* name) {
  return [name](const place& at) { return word(at, "form") == name; };
}

bool anywhere(const place&) {
  return true;
}

void growth_goals(const cells& forward, const cells& backward, goal_table& table) {
  const auto faster = [&](const std::string& what, std::int64_t elements, const char* against,
                          double times) {
    worst(table, what, 1 / times, forward.ratios("v2@mallard", against, "time", ints(elements)));
  };
  faster("push_back to 10^4, growing in place / version 1", 10000, "v1@mallard", 2.5);
  faster("push_back to 10^4, growing in place / Boost's", 10000, "v2@boost", 1.15);
  faster("push_back to 10^7, growing in place / std::vector", 10000000, "std@std", 4);
  lowest(table, "growing in place succeeds, alone", 1,
         forward.figures("v2@mallard", "success", form("alone")));
  lowest(table, "growing in place succeeds, among others, from 64 KiB on", 0.9,
         forward.figures("v2@mallard", "success", form("among")));
  for (const char* other : {"v2-none@mallard", "v1@mallard"}) {
    worst(table, std::string("growing to the front / new memory, ") + other, 1,
          backward.ratios("v2-bwd@mallard", other, "time", anywhere));
  }
}

void shrink_goals(const cells& c, goal_table& table) {
  worst(table, "shrinking from 10^4 in place / version 1", 1 / 60.0,
        c.ratios("v2@mallard", "v1@mallard", "time", ints(10000)));
}

cells::where lists_by(std::int64_t range) {
  return [range](const place& at) {
    return word(at, "container") == "list" && number(at, "range") == range;
  };
}

bool in_lists(const place& at) {
  return word(at, "container") == "list";
}

void burst_goals(const cells& c, goal_table& table) {
  struct {
    std::int64_t range;
    double times;
  } const goals[] = {{10, 1.5}, {100, 2.5}, {1000, 3}, {10000, 3}};
  for (const auto& [range, times] : goals) {
    worst(table, "insert ranges of " + std::to_string(range) + " / node by node", 1 / times,
          c.ratios("v2@mallard", "v1@mallard", "insert", lists_by(range)));
  }
  worst(table, "insert ranges / Boost's version 2", 1 / 1.3,
        c.ratios("v2@mallard", "v2@boost", "insert", in_lists));
  worst(table, "insert ranges, adaptive pool / Boost's", 1 / 1.2,
        c.ratios("adaptive@mallard", "adaptive@boost", "insert", in_lists));
  worst(table, "erase ranges / node by node", 1 / 1.4,
        c.ratios("v2@mallard", "v1@mallard", "erase", in_lists));
  worst(table, "erase ranges / Boost's version 2", 1 / 1.3,
        c.ratios("v2@mallard", "v2@boost", "erase", in_lists));
}

// What an adaptive pool keeps when all nodes of a list of ints have been erased.
double free_blocks_bytes() {
  struct node {
    void* links[2];
    int value;
  };
  using allocator = mallard::adaptive_pool_allocator<node>;
  mallard::adaptive_pool_resource pool(allocator::options());
  allocator nodes(&pool);
  nodes.deallocate_one(nodes.allocate_one());
  return static_cast<double>(allocator::options().empty_slabs_kept * pool.stats().reserved_bytes);
}

void pool_goals(const cells& c, goal_table& table) {
  const auto one_by_one = [](const place& at) { return number(at, "range") == 1; };
  for (const char* phase : {"insert", "erase"}) {
    const std::string what = std::string(phase) + " node by node, adaptive pool / ";
    worst(table, what + "simple segregated storage", 1.1,
          c.ratios("adaptive@mallard", "node@mallard", phase, one_by_one));
    worst(table, what + "Boost's", 1 / 1.5,
          c.ratios("adaptive@mallard", "adaptive@boost", phase, one_by_one));
  }
  worst(table, "overhead of a node", 0.02, c.figures("adaptive@mallard", "overhead", anywhere));
  worst(table, "held when all is erased, bytes", free_blocks_bytes(),
        c.figures("adaptive@mallard", "in_use_after_erase", anywhere));
}

void mixed_goals(const cells& c, goal_table& table) {
  for (const char* other : {"AS1@global", "dlmalloc@boost"}) {
    const std::string what = std::string("blocks of all sizes, heap / ") + other;
    worst(table, what, 1 / 2.0, c.ratios("heap@mallard", other, "time", anywhere));
    worst(table, what + ", memory", 1.1, c.ratios("heap@mallard", other, "rss", anywhere));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s RESULT.jsonl...\n", argv[0]);
    return 2;
  }
  try {
    const auto of = [files = std::span(argv + 1, static_cast<std::size_t>(argc - 1))](
                        const char* bench) { return cells(files, bench); };
    goal_table table;
    growth_goals(of("expand-forward"), of("expand-backward"), table);
    shrink_goals(of("shrink"), table);
    burst_goals(of("burst"), table);
    pool_goals(of("adaptive-pool"), table);
    mixed_goals(of("mixed"), table);
    return table.summary();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mallard_container_goals: %s\n", e.what());
    return 2;
  }
}
