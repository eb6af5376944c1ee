// Costs that must not grow with the number of live blocks. Instructions are counted, not
// nanoseconds, so these checks give the same answer on a busy machine; they cannot see cache
// misses.
#include <sys/mman.h>

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "conformance/checks.hpp"
#include "support/instruction_count.hpp"
#include "support/instrumented.hpp"
#include "support/require.hpp"

namespace conformance {
namespace {

using mallard_test::count_instructions;
using mallard_test::require;
using mallard_test::throws_bad_alloc;

// Gives address space that costs nothing until it is touched, and can be told to give no more.
class virtual_memory final : public std::pmr::memory_resource {
 public:
  virtual_memory()
      : begin_(static_cast<std::byte*>(mmap(nullptr, total, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~virtual_memory() override { munmap(begin_, total); }
  bool exhausted = false;

 private:
  static constexpr std::size_t total = std::size_t{16} << 30;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const std::size_t at = (used_ + alignment - 1) & ~(alignment - 1);
    if (exhausted || at + bytes > total) throw std::bad_alloc();
    used_ = at + bytes;
    // Large alignments are relative to addresses, not to the start of the mapping.
    auto* const p = begin_ + at;
    const auto misaligned = reinterpret_cast<std::uintptr_t>(p) & (alignment - 1);
    if (misaligned == 0) return p;
    used_ += alignment - misaligned;
    return p + (alignment - misaligned);
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::byte* begin_;
  std::size_t used_ = 0;
};

// A resource with many blocks of one size, none of which is ever touched.
struct loaded {
  virtual_memory memory;
  std::unique_ptr<subject> resource;
  std::vector<void*> blocks;
  std::size_t bytes;

  loaded(const resource_case& what, std::size_t block_bytes)
      : resource(what.make(&memory)), bytes(block_bytes) {
    // Both calls once, so that symbols are bound before instructions are counted.
    give(take());
  }
  void* take() { return resource->base().allocate(bytes, 8); }
  void give(void* p) { resource->base().deallocate(p, bytes, 8); }
  void fill(std::size_t count) {
    blocks.reserve(count + 1);
    for (std::size_t i = 0; i < count; ++i) blocks.push_back(take());
  }
};

// Sixteen times the blocks may cost a few instructions more, for a larger table, but not twice as
// many.
void expect_flat(std::optional<std::uint64_t> few, std::optional<std::uint64_t> many,
                 const char* what) {
  require(few.has_value() && many.has_value(), "instructions could not be counted");
  require(*many <= 2 * *few + 200, what, " takes ", *few, " instructions with few blocks and ",
          *many, " with many");
}

std::optional<std::uint64_t> cost_of_first_free(const resource_case& what, std::size_t bytes,
                                                std::size_t count) {
  loaded load(what, bytes);
  return count_instructions([&] { load.fill(count); }, [&] { load.give(load.blocks.front()); });
}

void free_is_flat(const resource_case& what, std::size_t bytes) {
  expect_flat(cost_of_first_free(what, bytes, 1000), cost_of_first_free(what, bytes, 16000),
              "giving back the oldest block");
}

void free_of_nodes(const resource_case& what) {
  free_is_flat(what, 24);
}
void free_of_pages(const resource_case& what) {
  free_is_flat(what, 4096);
}
void free_of_oversize(const resource_case& what) {
  free_is_flat(what, 48 * 1024);
}

void fill_every_chunk(loaded& load, std::size_t count) {
  load.fill(count);
  load.memory.exhausted = true;
  while (!throws_bad_alloc([&] { load.blocks.push_back(load.take()); })) {
  }
  load.memory.exhausted = false;
}

// Every chunk is full but for one block: how long is the search for it, if there is one?
std::optional<std::uint64_t> cost_with_full_chunks(loaded& full, std::size_t eighth) {
  const auto prepare = [&] {
    full.give(full.blocks[full.blocks.size() / 8 * eighth]);
    // Two, as the block given back last may be at hand for the first.
    full.give(full.blocks[full.blocks.size() / 8 * eighth + 1]);
    (void)full.take();
  };
  return count_instructions(prepare, [&] { (void)full.take(); });
}

void full_chunks_cost_nothing(const resource_case& what) {
  loaded few(what, 24);
  loaded many(what, 24);
  fill_every_chunk(few, std::size_t{1} << 15);
  fill_every_chunk(many, std::size_t{1} << 21);
  for (const std::size_t eighth : {0u, 3u, 7u}) {
    expect_flat(cost_with_full_chunks(few, eighth), cost_with_full_chunks(many, eighth),
                "the next allocation");
  }
}

// Memory that was given back must be of use although most chunks are full.
void freed_blocks_serve_again(const resource_case& what) {
  loaded load(what, 24);
  fill_every_chunk(load, 50000);
  std::size_t given_back = 0;
  for (std::size_t i = 0; i < load.blocks.size(); i += 2, ++given_back) load.give(load.blocks[i]);
  load.memory.exhausted = true;
  std::size_t served = 0;
  while (served < given_back && !throws_bad_alloc([&] { (void)load.take(); })) ++served;
  require(served >= given_back * 3 / 4, "of ", given_back,
          " blocks given back here and there, only ", served, " could be got again");
}

bool is_pool(const resource_case& c) {
  return c.pools && c.uses_upstream;
}
// Sanitizers add instructions of their own, in proportion to the memory they mark.
bool is_countable(const resource_case& c) {
  return is_pool(c) && !mallard_test::instrumented;
}

}  // namespace

void add_cost_checks(std::vector<check>& checks) {
  checks.push_back({"free_cost_of_nodes",
                    "Deallocating the oldest of 16,000 blocks of 24 bytes takes no more "
                    "instructions than the oldest of 1,000.",
                    is_countable, free_of_nodes});
  checks.push_back({"free_cost_of_pages", "The same for blocks of 4 KiB (defect C).", is_countable,
                    free_of_pages});
  checks.push_back({"free_cost_of_oversize_blocks", "The same for blocks of 48 KiB.", is_countable,
                    free_of_oversize});
  checks.push_back({"full_chunks_cost_nothing",
                    "When every chunk is full but for one block, the next allocation costs the "
                    "same among 2,000,000 blocks as among 32,000 (defect E).",
                    is_countable, full_chunks_cost_nothing});
  checks.push_back({"freed_blocks_serve_again",
                    "When every second block is free and upstream is exhausted, at least three "
                    "quarters of the free ones can be allocated again.",
                    is_pool, freed_blocks_serve_again});
}

}  // namespace conformance
