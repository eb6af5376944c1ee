#include "profile/trace/facts.hpp"

#include "profile/trace/symbol_table.hpp"
#include "profile/trace/varint.hpp"

namespace mallard::profile {
namespace {

TEST(facts, everything_comes_back) {
  trace_facts facts;
  facts.process = {.pid = 17,
                   .parent = 3,
                   .started = 1'700'000'000'000'000'000,
                   .command = {"ls", "-l", ""},
                   .recorder = "mallard 1",
                   .unwinder = "fp",
                   .stack_depth = 24,
                   .sample_stacks = 2,
                   .page_bytes = 16384,
                   .line_bytes = 128,
                   .cache_bytes = {32768, 1u << 21}};
  facts.threads[0] = {.id = 0, .tid = 17, .name = "main", .started = 5, .ended = 99};
  facts.names[{name_kind::scope, 4}] = "parse";
  facts.losses[0] = {.thread = 0, .dropped = 7, .waited_ns = 100};
  facts.resident = {{10, 4096}, {20, 1u << 20}, {31, 8192}};
  facts.end = {.time = 1000, .how = end_kind::killed, .status = 9};
  const module_info program{.time = 1,
                            .unloaded = UINT64_MAX,
                            .path = "/bin/ls",
                            .build_id = "\x01\x02",
                            .load_bias = 0x5000,
                            .segments = {{0x10, 0x20}},
                            .first_stack = 1,
                            .last_stack = UINT32_MAX};
  facts.modules.push_back(program);
  std::string bytes = to_bytes(facts.process) + to_bytes(program) + to_bytes(facts.threads[0]) +
                      to_bytes(name_kind::scope, 4, "parse") + to_bytes(facts.losses[0]) +
                      to_bytes(facts.resident) + to_bytes(facts.end);
  trace_facts back;
  read_facts(bytes, back);
  EXPECT_EQ(back, facts);
}

TEST(facts, an_unloaded_module_ends_and_the_next_at_its_place_does_not) {
  const module_info one{.path = "a.so", .load_bias = 0x1000};
  const module_info next{.path = "b.so", .load_bias = 0x1000};
  trace_facts facts;
  read_facts(to_bytes(one) + unload_to_bytes(50, 0x1000, 7) + to_bytes(next), facts);
  ASSERT_EQ(facts.modules.size(), 2u);
  EXPECT_EQ(facts.modules[0].unloaded, 50u);
  EXPECT_EQ(facts.modules[0].last_stack, 7u);
  EXPECT_EQ(facts.modules[1].unloaded, UINT64_MAX);
}

TEST(facts, records_of_a_later_version_are_passed_over) {
  std::string bytes;
  put_varint(bytes, 1000);
  put_text(bytes, "who knows");
  trace_facts facts;
  read_facts(bytes + to_bytes(loss_info{.thread = 1, .dropped = 2}), facts);
  EXPECT_EQ(facts.losses[1].dropped, 2u);
}

TEST(symbol_table, comes_back_from_bytes_in_parts) {
  symbol_table first;
  first.strings = {"", "main", "a.cpp"};
  first.of[{0, 0x1234}] = {.start = 0x1200, .lines = {{1, 2, 40}, {1, 0, 0}}, .flow = {}};
  const place_flow flow{
      .known = true, .skips = true, .calls = 0x900, .next = {0x1234, 0x1100}, .begins = {{0x1240}}};
  first.of[{0, 0x1234}].flow = flow;
  symbol_table second;
  second.strings = {"", "parse"};
  second.of[{2, 0x77}] = {.start = 0, .lines = {{1, 0, 0}}, .flow = {}};
  symbol_table both;
  read_symbols(to_bytes(first), both);
  read_symbols(to_bytes(second), both);
  ASSERT_EQ(both.of.size(), 2u);
  const symbol& main = both.of[{0, 0x1234}];
  EXPECT_EQ(main.start, 0x1200u);
  ASSERT_EQ(main.lines.size(), 2u);
  EXPECT_EQ(both.strings[main.lines[0].function], "main");
  EXPECT_EQ(both.strings[main.lines[0].file], "a.cpp");
  EXPECT_EQ(both.strings[main.lines[1].file], "");
  EXPECT_EQ(main.lines[0].line, 40u);
  EXPECT_EQ(main.flow, flow);
  EXPECT_FALSE((both.of[{2, 0x77}].flow.known));
  EXPECT_EQ(both.strings[both.of[symbol_key(2, 0x77)].lines[0].function], "parse");
}

}  // namespace
}  // namespace mallard::profile
