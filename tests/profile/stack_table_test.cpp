#include "profile/trace/stack_table.hpp"

namespace mallard::profile {
namespace {

TEST(StackTable, TheSameFramesAreTheSameStack) {
  stack_table table;
  const frame inner{0x30, 0x7f00}, middle{0x20, 0x7f20}, outer{0x10, 0x7f40};
  const std::vector<frame> frames = {inner, middle, outer};
  const std::uint32_t id = table.intern(frames);
  EXPECT_EQ(table.intern(frames), id);
  EXPECT_EQ(table.size(), 4u);  // with 0, which is no stack
  const std::vector<frame> shorter = {middle, outer};
  EXPECT_EQ(table.intern(shorter), table[id].parent);
  EXPECT_EQ(table.intern({}), 0u);
}

TEST(StackTable, FramesOfOtherAddressesAreOtherStacks) {
  stack_table table;
  const std::uint32_t one = table.child(0, {0x10, 0x7f40});
  EXPECT_NE(table.child(0, {0x10, 0x7f50}), one);
  EXPECT_NE(table.child(0, {0x11, 0x7f40}), one);
  EXPECT_NE(table.child(one, {0x10, 0x7f40}), one);
}

TEST(StackTable, ManyStacksAreAllFoundAgain) {
  stack_table table;
  std::vector<std::uint32_t> ids;
  for (std::uint64_t i = 0; i < 20'000; ++i) ids.push_back(table.child(0, {i, 2 * i}));
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(table.child(0, {i, 2 * i}), ids[i]);
  }
}

TEST(StackTable, WhereAModuleWasUnloadedStacksAreNewOnes) {
  stack_table table;
  const std::uint32_t main = table.child(0, {0x10, 0});
  const std::uint32_t plugin = table.child(main, {0x1000, 0});
  table.forget(0x1000, 0x2000);
  EXPECT_EQ(table.child(0, {0x10, 0}), main);
  EXPECT_NE(table.child(main, {0x1000, 0}), plugin);
  EXPECT_EQ(table[plugin].ip, 0x1000u);  // the old one still says what it was
}

TEST(StackTable, ComesBackFromBytesInParts) {
  stack_table table;
  std::uint32_t parent = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    parent =
        table.child(i % 10 == 0 ? 0 : parent, {0x7f0000000000 + 8 * i, 0x7ffe00000000 - 64 * i});
  }
  std::vector<stack_node> nodes;
  stacks_from_bytes(stacks_to_bytes(table, 1, 40), nodes);
  stacks_from_bytes(stacks_to_bytes(table, 40, table.size()), nodes);
  ASSERT_EQ(nodes.size(), table.size());
  for (std::uint32_t id = 0; id < table.size(); ++id) EXPECT_EQ(nodes[id], table[id]);
}

TEST(StackTable, EveryTruncationIsRefused) {
  stack_table table;
  for (std::uint64_t i = 0; i < 10; ++i) table.child(0, {i << 20, i});
  const std::string raw = stacks_to_bytes(table, 1, table.size());
  for (std::size_t bytes = 0; bytes < raw.size(); ++bytes) {
    std::vector<stack_node> nodes;
    EXPECT_THROW(stacks_from_bytes(raw.substr(0, bytes), nodes), malformed) << bytes;
  }
}

TEST(StackTable, AGapOfLostStacksIsNoLargerThanAReaderCanHold) {
  std::string damaged;
  put_varint(damaged, std::uint64_t{1} << 27);  // the first id
  put_varint(damaged, 0);
  std::vector<stack_node> nodes;
  EXPECT_THROW(stacks_from_bytes(damaged, nodes), malformed);
  EXPECT_LE(nodes.size(), 1u);
}

}  // namespace
}  // namespace mallard::profile
