// The model itself must be able to fail, or the tests that use it prove nothing.
#include "support/live_blocks.hpp"

#include <gtest/gtest.h>

#include <memory_resource>

#include "conformance/suite.hpp"
#include "support/model.hpp"
#include "support/require.hpp"

namespace {

using mallard_test::check_failure;
using mallard_test::choices;
using mallard_test::live_blocks;

TEST(live_blocks, refuses_null) {
  live_blocks blocks;
  EXPECT_THROW(blocks.add(nullptr, 0, 1), check_failure);
}

TEST(live_blocks, refuses_misaligned_blocks) {
  alignas(64) std::byte memory[64];
  live_blocks blocks;
  EXPECT_THROW(blocks.add(memory + 8, 8, 16), check_failure);
  blocks.add(memory + 8, 8, 8);
}

TEST(live_blocks, refuses_blocks_that_overlap) {
  std::byte memory[100];
  live_blocks blocks;
  blocks.add(memory + 20, 20, 1);
  EXPECT_THROW(blocks.add(memory + 39, 10, 1), check_failure);
  EXPECT_THROW(blocks.add(memory + 10, 11, 1), check_failure);
  EXPECT_THROW(blocks.add(memory + 25, 1, 1), check_failure);
  EXPECT_THROW(blocks.add(memory + 20, 0, 1), check_failure);
  blocks.add(memory + 40, 10, 1);
  blocks.add(memory + 10, 10, 1);
}

TEST(live_blocks, notices_changed_contents) {
  std::byte memory[100];
  live_blocks blocks;
  blocks.add(memory, 100, 1);
  blocks.verify();
  memory[99] ^= std::byte{1};
  EXPECT_THROW(blocks.verify(), check_failure);
  EXPECT_THROW(blocks.remove(0), check_failure);
}

TEST(live_blocks, forgets_blocks_added_since_a_tag) {
  std::byte memory[30];
  live_blocks blocks;
  blocks.add(memory, 10, 1);
  const unsigned tag = blocks.next_tag();
  blocks.add(memory + 10, 10, 1);
  blocks.forget_since(tag);
  EXPECT_EQ(blocks.size(), 1u);
  blocks.add(memory + 10, 20, 1);  // the range is free again
}

// A resource with one fault: one block in a hundred is given twice.
class faulty final : public std::pmr::memory_resource {
 public:
  explicit faulty(std::pmr::memory_resource* upstream) : memory_(upstream) {}
  void release() { memory_.release(); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const p = memory_.allocate(bytes + 1, alignment);
    if (++calls_ % 100 != 0) last_ = p;
    return reinterpret_cast<std::uintptr_t>(last_) % alignment == 0 ? last_ : p;
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::pmr::monotonic_buffer_resource memory_;
  void* last_ = nullptr;
  unsigned calls_ = 0;
};

TEST(random_programs, find_a_rare_fault) {
  const auto what = conformance::row<conformance::plain<faulty>>("faulty");
  choices decide(1, 20000);
  EXPECT_THROW(mallard_test::run_random_program(what, decide), check_failure);
}

TEST(random_programs, are_the_same_for_the_same_seed) {
  choices a(42, 1000);
  choices b(42, 1000);
  choices c(43, 1000);
  bool differs = false;
  while (!a.done()) {
    const auto value = a.below(1000);
    EXPECT_EQ(value, b.below(1000));
    differs |= value != c.below(1000);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
