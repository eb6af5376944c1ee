// When memory runs out: an exception, everything as it was, nothing lost.
#include <limits>
#include <memory_resource>

#include "conformance/checks.hpp"
#include "mallard/checks/exception_test_loop.hpp"
#include "support/instrumented.hpp"
#include "support/workbench.hpp"

namespace conformance {
namespace {

using mallard_test::require;
using mallard_test::throws_bad_alloc;
using mallard_test::workbench;

constexpr std::size_t largest_size = std::numeric_limits<std::size_t>::max();
constexpr std::size_t largest_difference = largest_size / 2;  // PTRDIFF_MAX

std::vector<std::size_t> absurd_sizes() {
  std::vector<std::size_t> sizes;
  // Near SIZE_MAX a header, a rounding up or an alignment makes a sum wrap; so every size there.
  for (std::size_t below = 0; below <= 300; ++below) sizes.push_back(largest_size - below);
  for (std::size_t step = 512; step <= (1u << 24); step *= 2) {
    sizes.insert(sizes.end(),
                 {largest_size - step, largest_size - step + 1, largest_size - step - 1});
  }
  sizes.insert(sizes.end(), {largest_difference + 2, largest_difference + 1, largest_difference,
                             largest_difference - 4096, largest_size / 4 * 3});
  return sizes;
}

// Exceptions are slow under a sanitizer.
constexpr std::size_t alignment_step = mallard_test::instrumented ? 64 : 4;

void absurd_sizes_throw(const resource_case& what) {
  workbench bench(what);
  bench.allocate(100, 16);
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= alignment_step) {
    for (const std::size_t bytes : absurd_sizes()) {
      require(throws_bad_alloc([&] { (void)bench.resource().allocate(bytes, alignment); }),
              "allocate(", bytes, ", ", alignment, ") did not throw");
    }
    bench.allocate(100, alignment);  // still usable
  }
  bench.finish();
}

// operator new with an alignment does this in libstdc++ 12: a sum that wraps is a small block.
class wrapping_upstream final : public std::pmr::memory_resource {
  static std::size_t rounded(std::size_t bytes, std::size_t alignment) {
    return (bytes + alignment - 1) & ~(alignment - 1);
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const std::size_t whole = rounded(bytes, alignment);
    if (whole > mallard_test::strict_upstream::largest) throw std::bad_alloc();
    return std::pmr::new_delete_resource()->allocate(whole, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, rounded(bytes, alignment), alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

void no_block_is_smaller_than_asked(const resource_case& what) {
  wrapping_upstream upstream;
  const std::unique_ptr<subject> resource = what.make(&upstream);
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= alignment_step) {
    for (const std::size_t bytes : absurd_sizes()) {
      require(throws_bad_alloc([&] { (void)resource->base().allocate(bytes, alignment); }),
              "allocate(", bytes, ", ", alignment, ") returned a block");
    }
  }
}

void try_allocate_returns_null(const resource_case& what) {
  workbench bench(what);
  for (const std::size_t bytes : absurd_sizes()) {
    require(bench.resource().try_allocate(bytes, 64) == nullptr, "try_allocate(", bytes,
            ", 64) did not return null");
  }
  bench.blocks.add(bench.resource().try_allocate(100, 32), 100, 32);
  if (what.uses_upstream) {
    bench.upstream.fail_after(0);
    const std::size_t more = what.first_upstream_bytes + (1u << 20);
    require(bench.resource().try_allocate(more, 16) == nullptr,
            "try_allocate did not return null although upstream failed");
    bench.upstream.never_fail();
    bench.blocks.add(bench.resource().try_allocate(more, 16), more, 16);
  }
  bench.finish();
}

// Blocks of many sizes: grows every list, table and chunk a resource may have.
void grow(workbench& bench) {
  for (int round = 0; round < 3; ++round) {
    for (std::size_t bytes = 1; bytes < 300000; bytes = bytes * 3 / 2 + 1) {
      bench.allocate(bytes, 16);
    }
  }
  // Without pools or chunks every block is a call to upstream, each of which is made to fail.
  const bool bundles = bench.what().pools || bench.what().deallocate_is_noop;
  for (int i = 0; i < (bundles ? 2000 : 20); ++i) bench.allocate(24, 8);
}

void every_upstream_call_fails(const resource_case& what, mallard::failing mode) {
  workbench bench(what);
  std::size_t blocks_before = 0;
  const auto run = [&](mallard::test_resource&) {
    blocks_before = bench.blocks.size();
    grow(bench);
  };
  const auto after_failure = [&] {
    // Blocks given before the failure are intact, and the resource serves again.
    bench.blocks.verify();
    bench.upstream.never_fail();
    bench.allocate(40, 8);
    bench.deallocate_all();
    if (what.has(mallard_test::can_release)) bench.resource().release();
    bench.expect_upstream_respected();
  };
  const std::size_t runs = mallard::exception_test_loop(bench.upstream, run, after_failure, mode);
  require(runs > 1, "the program did not ask upstream for anything");
  bench.deallocate_all();
  bench.finish();
}

void upstream_fails_once(const resource_case& what) {
  every_upstream_call_fails(what, mallard::failing::once);
}
void upstream_fails_for_good(const resource_case& what) {
  every_upstream_call_fails(what, mallard::failing::from_then_on);
}

// The first calls upstream come from tables as well as from chunks.
void third_upstream_call_fails(const resource_case& what) {
  for (std::uint64_t n = 0; n < 6; ++n) {
    workbench bench(what);
    bench.upstream.fail_at(n);
    for (int i = 0; i < 3; ++i) {
      for (std::size_t bytes : {24u, 24u, 100u, 5000u, 100000u}) {
        (void)throws_bad_alloc([&] { bench.allocate(bytes, 8); });
      }
    }
    bench.finish();
  }
}

void upstream_without_memory(const resource_case& what) {
  std::unique_ptr<subject> resource;
  // Some resources allocate in their constructor.
  if (throws_bad_alloc([&] { resource = what.make(std::pmr::null_memory_resource()); })) return;
  // A caller's buffer may serve some requests first.
  const std::size_t enough = what.first_upstream_bytes / 64 + 1;
  bool refused = false;
  for (std::size_t i = 0; i < enough && !refused; ++i) {
    refused = throws_bad_alloc([&] { (void)resource->allocate(64, 16); });
  }
  require(refused, "blocks came from nowhere");
  if (what.has(mallard_test::can_release)) resource->release();
  require(throws_bad_alloc([&] { (void)resource->allocate(1u << 20, 16); }),
          "a large block came from nowhere");
}

}  // namespace

void add_failure_checks(std::vector<check>& checks) {
  checks.push_back({"absurd_sizes_throw",
                    "Sizes from PTRDIFF_MAX - 4096 to SIZE_MAX throw std::bad_alloc, even if "
                    "adding the alignment overflows, and leave the resource usable.",
                    always, absurd_sizes_throw});
  checks.push_back({"no_block_is_smaller_than_asked",
                    "The same over an upstream that rounds such a size up past SIZE_MAX to a "
                    "small one, as operator new with an alignment does in libstdc++ 12.",
                    with_upstream, no_block_is_smaller_than_asked});
  checks.push_back({"try_allocate_returns_null",
                    "try_allocate is noexcept and returns null where allocate throws.",
                    with_verbs<mallard_test::can_try_allocate>, try_allocate_returns_null});
  checks.push_back({"upstream_fails_once",
                    "Whichever call to upstream fails, the live blocks are intact, the resource "
                    "stays usable, and nothing leaks.",
                    with_upstream, upstream_fails_once});
  checks.push_back({"upstream_fails_for_good", "The same if upstream fails from that call on.",
                    with_upstream, upstream_fails_for_good});
  checks.push_back(
      {"first_upstream_calls_fail",
       "Each of the first six calls to upstream fails in turn, and the program goes on without "
       "the failed request (defect B).",
       with_upstream, third_upstream_call_fails});
  checks.push_back({"upstream_without_memory",
                    "Over std::pmr::null_memory_resource() every request throws std::bad_alloc.",
                    with_upstream, upstream_without_memory});
}

}  // namespace conformance
