// A block must be: not null, aligned, of its own memory, and unchanged by others.
#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "conformance/checks.hpp"
#include "support/instrumented.hpp"
#include "support/model.hpp"
#include "support/seeds.hpp"
#include "support/workbench.hpp"

namespace conformance {
namespace {

using mallard_test::check_failure;
using mallard_test::choices;
using mallard_test::fail;
using mallard_test::require;
using mallard_test::workbench;

constexpr std::size_t largest_alignment = 4096;

// Every size to 130, then the powers of two and their halves in between, to 1 MiB, each ±1.
std::vector<std::size_t> interesting_sizes() {
  std::set<std::size_t> sizes;
  for (std::size_t bytes = 0; bytes <= 130; ++bytes) sizes.insert(bytes);
  for (std::size_t edge = 128; edge <= (1u << 20); edge *= 2) {
    for (const std::size_t around : {edge, edge + edge / 4, edge + edge / 2, edge + edge * 3 / 4}) {
      if (around > (1u << 20)) continue;
      sizes.insert({around - 1, around, around + 1});
    }
  }
  return {sizes.begin(), sizes.end()};
}

void size_alignment_matrix(const resource_case& what) {
  const std::size_t step = mallard_test::instrumented || what.composed ? 16 : 2;
  for (std::size_t alignment = 1; alignment <= largest_alignment; alignment *= step) {
    workbench bench(what);
    for (const std::size_t bytes : interesting_sizes()) bench.allocate(bytes, alignment);
    bench.blocks.verify();
    // Give back every second block and take other ones, so that reuse is looked at too.
    for (std::size_t i = bench.blocks.size(); i > 1; i -= 2) bench.deallocate(i - 2);
    for (std::size_t bytes = 0; bytes < 2000; bytes += 37) bench.allocate(bytes, alignment);
    bench.deallocate_all();
    bench.finish();
  }
}

// Sizes that are no multiple of their alignment, several of each: the first one is often aligned by
// luck.
void eight_of_each(const resource_case& what, std::size_t bytes, std::size_t alignment) {
  workbench bench(what);
  for (int i = 0; i < 8; ++i) bench.allocate(bytes, alignment);
  bench.finish();
}

void blocks_of_24_bytes(const resource_case& what) {
  eight_of_each(what, 24, alignof(std::max_align_t));
  eight_of_each(what, 40, 32);
  eight_of_each(what, 100, 64);
}

void blocks_of_40_bytes_at_64(const resource_case& what) {
  eight_of_each(what, 40, 64);
}

void alignment_beyond_size(const resource_case& what) {
  for (std::size_t alignment = 32; alignment <= largest_alignment; alignment *= 2) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{24}, alignment / 2 + 1}) {
      eight_of_each(what, bytes, alignment);
    }
  }
}

void zero_size(const resource_case& what) {
  workbench bench(what);
  for (int round = 0; round < 2; ++round) {
    // The model fails for null and for addresses inside or at the start of a live block.
    for (int i = 0; i < 100; ++i) {
      bench.allocate(0, std::size_t{1} << (i % 5));
      bench.allocate(static_cast<std::size_t>(i), 1);
    }
    bench.deallocate_all();
  }
  bench.finish();
}

void large_blocks(const resource_case& what) {
  workbench bench(what);
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t mib : {1u, 3u, 8u}) bench.allocate((mib << 20) + 1, 16);
    bench.allocate(5000, 8);
    bench.deallocate_all();
    if (what.has(mallard_test::can_release)) bench.resource().release();
  }
  bench.finish();
}

void random_programs(const resource_case& what) {
  const std::uint64_t programs = mallard_test::instrumented ? 1 : what.composed ? 2 : 8;
  constexpr std::size_t decisions = 20000;
  for (const std::uint64_t seed : mallard_test::test_seeds(programs)) {
    choices decide(seed, decisions);
    try {
      mallard_test::run_random_program(what, decide);
    } catch (const check_failure& e) {
      fail(e.what(), mallard_test::reproduce_with(seed));
    }
  }
}

}  // namespace

void add_block_checks(std::vector<check>& checks) {
  checks.push_back({"sizes_and_alignments",
                    "Blocks of 0 bytes to 1 MiB at alignments from 1 to 4096 are aligned, do not "
                    "overlap and keep their contents, also in reused memory.",
                    always, size_alignment_matrix});
  checks.push_back({"odd_sizes_are_aligned",
                    "Eight blocks each of 24 bytes at alignment 16, 40 at 32 and 100 at 64 are "
                    "all aligned (defect A).",
                    always, blocks_of_24_bytes});
  checks.push_back({"forty_bytes_at_64",
                    "Eight blocks of 40 bytes at alignment 64 are all aligned (defect D).", always,
                    blocks_of_40_bytes_at_64});
  checks.push_back({"alignment_beyond_size",
                    "Alignments larger than the size are honoured, up to 4096.", always,
                    alignment_beyond_size});
  checks.push_back({"zero_size",
                    "Blocks of zero bytes have distinct addresses and can be deallocated.", always,
                    zero_size});
  checks.push_back(
      {"large_blocks", "Blocks of several MiB work like small ones.", always, large_blocks});
  checks.push_back({"random_programs",
                    "Random programs of all the resource's operations agree with a model, over an "
                    "upstream that fails now and then.",
                    always, random_programs});
}

}  // namespace conformance
