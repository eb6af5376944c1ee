// Memory that comes back, and when: release, the destructor, rewind, marks, reset, trim, and steady
// load.
#include <algorithm>

#include "conformance/checks.hpp"
#include "support/workbench.hpp"

namespace conformance {
namespace {

using mallard_test::can_mark;
using mallard_test::can_release;
using mallard_test::can_reset;
using mallard_test::can_rewind;
using mallard_test::can_trim;
using mallard_test::require;
using mallard_test::workbench;

// The largest alignment a well-behaved resource asks of its upstream for requests of ordinary
// alignment: that of the largest slab.
constexpr std::size_t sane_alignment = 256 * 1024;

// Blocks of many sizes, some of which are given back. Ends with some hundred blocks alive. Large
// ones are left out over a resource that may never reuse them. Alignments and odd sizes have checks
// of their own: a resource that fails them can still pass here.
void mixed_load(workbench& bench) {
  for (std::size_t i = 0; i < 600; ++i) {
    const bool large = i % 50 == 0 && bench.what().directly;
    const std::size_t bytes = large ? 40000 + i * 160 : 16 + (i * 37) % 190 * 16;
    bench.allocate(bytes, 16);
    if (i % 3 == 0) bench.deallocate(i % bench.blocks.size());
  }
}

void expect_nothing_held(workbench& bench, const char* after) {
  bench.expect_upstream_respected();
  if (!bench.what().directly) return;
  const auto counts = bench.upstream.counts();
  require(counts.in_use_blocks == 0, after, " left ", counts.in_use_blocks, " upstream blocks (",
          counts.in_use_bytes, " bytes)");
}

void release_returns_everything(const resource_case& what) {
  workbench bench(what);
  bench.resource().release();  // nothing to do yet
  for (int round = 0; round < 3; ++round) {
    mixed_load(bench);
    bench.blocks.clear();
    bench.resource().release();
    expect_nothing_held(bench, "release()");
    bench.resource().release();  // again: harmless
    expect_nothing_held(bench, "a second release()");
  }
  bench.finish();
}

void destructor_returns_everything(const resource_case& what) {
  workbench bench(what);
  mixed_load(bench);
  bench.finish();  // the blocks are still in use
  workbench untouched(what);
  untouched.finish();
}

void deallocating_everything_is_enough(const resource_case& what) {
  workbench bench(what);
  for (int round = 0; round < 2; ++round) {
    mixed_load(bench);
    bench.deallocate_all();
  }
  bench.finish();
}

void rewind_reuses_memory(const resource_case& what) {
  workbench bench(what);
  mixed_load(bench);
  const auto calls = bench.upstream.counts().allocations;
  for (int round = 0; round < 5; ++round) {
    bench.blocks.clear();
    bench.resource().rewind();
    mixed_load(bench);
  }
  require(!what.uses_upstream || bench.upstream.counts().allocations == calls,
          "the same load after rewind() asked upstream for more");
  bench.finish();
}

void marks_keep_earlier_blocks(const resource_case& what) {
  workbench bench(what);
  for (int outer = 0; outer < 3; ++outer) {
    mixed_load(bench);
    const unsigned first = bench.blocks.next_tag();
    bench.resource().push_mark();
    mixed_load(bench);
    const unsigned second = bench.blocks.next_tag();
    bench.resource().push_mark();
    mixed_load(bench);
    const auto calls = bench.upstream.counts().allocations;

    // The same mark may be gone back to many times.
    for (int round = 0; round < 3; ++round) {
      bench.blocks.forget_since(second);
      bench.resource().rewind_to_last_mark();
      bench.blocks.verify();
      for (int i = 0; i < 100; ++i) bench.allocate(100, 8);
    }
    require(bench.upstream.counts().allocations == calls,
            "a smaller load after rewind(mark) asked upstream for more");
    bench.resource().drop_last_mark();
    bench.blocks.forget_since(first);
    bench.resource().rewind_to_last_mark();
    bench.resource().drop_last_mark();
    bench.blocks.verify();
  }
  bench.finish();
}

void reset_keeps_at_most(const resource_case& what) {
  workbench bench(what);
  for (const std::size_t keep : {0u, 5000u, 100000u, 100000000u}) {
    mixed_load(bench);
    bench.blocks.clear();
    bench.resource().reset(keep);
    const std::size_t kept = bench.upstream.counts().in_use_bytes;
    require(kept <= keep || !what.directly, "reset(", keep, ") kept ", kept, " bytes");
    bench.expect_upstream_respected();
    mixed_load(bench);
    bench.blocks.clear();
    bench.resource().reset(0);
    expect_nothing_held(bench, "reset(0)");
  }
  bench.finish();
}

void trim_returns_unused_memory(const resource_case& what) {
  workbench bench(what);
  for (int round = 0; round < 3; ++round) {
    mixed_load(bench);
    bench.resource().trim();
    bench.blocks.verify();  // live blocks are untouched
    mixed_load(bench);
    bench.deallocate_all();
    bench.resource().trim();
    expect_nothing_held(bench, "trim() of an empty resource");
  }
  bench.finish();
}

// One day's work, over and over: what is held must stop growing.
void steady_load_does_not_grow(const resource_case& what) {
  workbench bench(what);
  const auto one_day = [&] {
    mixed_load(bench);
    if (what.deallocate_is_noop) {
      bench.blocks.clear();
      if (what.has(can_rewind)) {
        bench.resource().rewind();
      } else {
        bench.resource().release();
      }
    } else {
      bench.deallocate_all();
    }
  };
  for (int day = 0; day < 5; ++day) one_day();
  const std::size_t plateau = bench.upstream.counts().peak_bytes;
  for (int day = 0; day < 15; ++day) one_day();
  const std::size_t later = bench.upstream.counts().peak_bytes;
  require(later <= plateau, "a steady load held ", plateau, " bytes after 5 rounds and ", later,
          " after 20");
  bench.finish();
}

void upstream_alignment_is_sane(const resource_case& what) {
  workbench bench(what);
  for (std::size_t bytes = 1; bytes <= (1u << 20); bytes *= 2) {
    // Several chunks of each class, as chunks may grow.
    const std::size_t blocks = std::max<std::size_t>(3, (std::size_t{4} << 20) / bytes / 8);
    for (std::size_t i = 0; i < std::min<std::size_t>(blocks, 20000); ++i) {
      bench.resource().allocate(bytes, 8);
    }
  }
  const std::size_t asked = bench.upstream.counts().largest_alignment;
  require(asked <= sane_alignment, "upstream was asked for an alignment of ", asked,
          " for blocks of alignment 8");
  bench.finish();
}

void noop_deallocate_harms_nobody(const resource_case& what) {
  workbench bench(what);
  mixed_load(bench);
  constexpr std::size_t large_bytes = std::size_t{32} << 10;
  const auto calls = bench.upstream.counts().deallocations;
  std::size_t large_blocks = 0;
  while (bench.blocks.size() > 1) {
    const std::size_t one = bench.blocks.size() / 2;
    large_blocks += bench.blocks[one].bytes >= large_bytes;
    bench.deallocate(one);
    if (bench.blocks.size() % 20 == 0) bench.blocks.verify();
  }
  require(bench.upstream.counts().deallocations <= calls + large_blocks,
          "a single small block went back to upstream");
  bench.finish();
}

}  // namespace

void add_lifetime_checks(std::vector<check>& checks) {
  checks.push_back({"release_returns_everything",
                    "release() returns every upstream block with the pointer, size and alignment "
                    "of its allocation. A second call is harmless; afterwards the resource is as "
                    "new.",
                    with_upstream_and<can_release>, release_returns_everything});
  checks.push_back({"destructor_returns_everything",
                    "The destructor does the same, whether blocks are in use or not.",
                    with_upstream_and<can_release>, destructor_returns_everything});
  checks.push_back({"blocks_come_back_one_by_one",
                    "Deallocating every block and allocating new ones disturbs no other block.",
                    always, deallocating_everything_is_enough});
  checks.push_back({"rewind_reuses_memory",
                    "After rewind() the same load requests nothing more from upstream.",
                    with_verbs<can_rewind>, rewind_reuses_memory});
  checks.push_back({"marks_keep_earlier_blocks",
                    "rewind(mark) ends the blocks allocated after the mark and no others; marks "
                    "nest.",
                    with_verbs<can_mark>, marks_keep_earlier_blocks});
  checks.push_back({"reset_keeps_at_most", "reset(n) keeps at most n bytes.", with_verbs<can_reset>,
                    reset_keeps_at_most});
  checks.push_back(
      {"trim_returns_unused_memory",
       "trim() leaves live blocks unchanged, and an empty resource holds nothing after it.",
       with_verbs<can_trim>, trim_returns_unused_memory});
  checks.push_back({"steady_load_does_not_grow",
                    "Repeating the same load does not take more and more from upstream.",
                    with_upstream, steady_load_does_not_grow});
  checks.push_back({"upstream_alignment_is_sane",
                    "For ordinary blocks, a resource requests at most 256 KiB of alignment from "
                    "upstream.",
                    with_upstream_and<can_release>, upstream_alignment_is_sane});
  checks.push_back(
      {"noop_deallocate_harms_nobody",
       "Where deallocate does nothing, or returns only large blocks, it leaves the neighbours "
       "unchanged.",
       [](const resource_case& c) { return c.deallocate_is_noop; }, noop_deallocate_harms_nobody});
}

}  // namespace conformance
