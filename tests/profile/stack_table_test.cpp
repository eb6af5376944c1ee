#include "profile/trace/stack_table.hpp"

namespace mallard::profile {
namespace {

TEST(stack_table, the_same_frames_are_the_same_stack) {
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

TEST(stack_table, frames_of_other_addresses_are_other_stacks) {
  stack_table table;
  const std::uint32_t one = table.child(0, {0x10, 0x7f40});
  EXPECT_NE(table.child(0, {0x10, 0x7f50}), one);
  EXPECT_NE(table.child(0, {0x11, 0x7f40}), one);
  EXPECT_NE(table.child(one, {0x10, 0x7f40}), one);
}

TEST(stack_table, many_stacks_are_all_found_again) {
  stack_table table;
  std::vector<std::uint32_t> ids;
  for (std::uint64_t i = 0; i < 20'000; ++i) ids.push_back(table.child(0, {i, 2 * i}));
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(table.child(0, {i, 2 * i}), ids[i]);
  }
}

TEST(stack_table, where_a_module_was_unloaded_stacks_are_new_ones) {
  stack_table table;
  const std::uint32_t main = table.child(0, {0x10, 0});
  const std::uint32_t plugin = table.child(main, {0x1000, 0});
  table.forget(0x1000, 0x2000);
  EXPECT_EQ(table.child(0, {0x10, 0}), main);
  EXPECT_NE(table.child(main, {0x1000, 0}), plugin);
  EXPECT_EQ(table[plugin].ip, 0x1000u);  // the old one still says what it was
}

TEST(stack_table, comes_back_from_bytes_in_parts) {
  stack_table table;
  std::uint32_t parent = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    parent =
        table.child(i % 10 == 0 ? 0 : parent, {0x7f0000000000 + 8 * i, 0x7ffe00000000 - 64 * i});
  }
  read_stacks again;
  again.add(stacks_to_bytes(table, 1, 40));
  again.add(stacks_to_bytes(table, 40, table.size()));
  ASSERT_EQ(again.nodes().size(), table.size());
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    EXPECT_EQ(again.nodes()[id], table[id]);
    EXPECT_EQ(again.number(id), id);
  }
}

TEST(stack_table, every_truncation_is_refused) {
  stack_table table;
  for (std::uint64_t i = 0; i < 10; ++i) table.child(0, {i << 20, i});
  const std::string raw = stacks_to_bytes(table, 1, table.size());
  for (std::size_t bytes = 0; bytes < raw.size(); ++bytes) {
    EXPECT_THROW(read_stacks().add(raw.substr(0, bytes)), malformed) << bytes;
  }
}

TEST(stack_table, stacks_behind_a_lost_chunk_have_other_numbers) {
  stack_table table;
  std::uint32_t parent = 0;
  for (std::uint64_t i = 1; i <= 30; ++i)
    parent = table.child(i % 10 == 1 ? 0 : parent, {i, 100 - i});
  read_stacks some;
  some.add(stacks_to_bytes(table, 1, 8));
  some.add(stacks_to_bytes(table, 15, 21));  // 8 to 14 are lost
  some.add(stacks_to_bytes(table, 25, 31));  // and 21 to 24
  EXPECT_EQ(some.nodes().size(), 1u + 7 + 6 + 6);
  for (const std::uint32_t known : {1u, 7u, 15u, 20u, 25u, 30u}) {
    EXPECT_EQ(some.nodes()[some.number(known)].ip, known);
  }
  for (const std::uint32_t lost : {0u, 8u, 14u, 21u, 24u, 31u, UINT32_MAX}) {
    EXPECT_EQ(some.number(lost), 0u) << lost;
  }
  EXPECT_EQ(some.nodes()[some.number(15)].parent, 0u);  // which was lost
  EXPECT_EQ(some.nodes()[some.number(16)].parent, some.number(15));
  EXPECT_EQ(some.numbers_before(7), 7u);
  EXPECT_EQ(some.numbers_before(10), some.number(15));
  EXPECT_EQ(some.numbers_before(15), some.number(15));
  EXPECT_EQ(some.numbers_before(99), some.nodes().size());
}

TEST(stack_table, a_gap_of_lost_stacks_takes_no_memory_however_large_it_is_said_to_be) {
  const auto chunk = [](std::uint64_t first, std::uint64_t count) {
    std::string out;
    put_varint(out, first);
    put_varint(out, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      put_varint(out, 1);
      put_difference(out, 0x10, 0);
      put_difference(out, 0x7f00, 0);
    }
    return out;
  };
  read_stacks stacks;
  stacks.add(chunk(1u << 31, 0));
  EXPECT_EQ(stacks.nodes().size(), 1u);
  stacks.add(chunk(1u << 31, 2));
  EXPECT_EQ(stacks.nodes().size(), 3u);
  EXPECT_EQ(stacks.number((1u << 31) + 1), 2u);
  EXPECT_THROW(stacks.add(chunk(7, 1)), malformed);  // such ids have been
  EXPECT_THROW(stacks.add(chunk(UINT32_MAX - 1, 2)), malformed);
  EXPECT_THROW(stacks.add(chunk(std::uint64_t{1} << 40, 1)), malformed);
  EXPECT_EQ(stacks.nodes().size(), 3u);
}

}  // namespace
}  // namespace mallard::profile
