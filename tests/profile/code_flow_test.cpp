// The ways through functions, read from their machine code.
#include "profile/trace/code_flow.hpp"

#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "profile/trace/instruction.hpp"

namespace mallard::profile {

namespace {

std::array<std::uint64_t, 3> called_from;

}  // namespace

[[gnu::noinline]] bool note(std::size_t which) {
  called_from[which] = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  bool out = true;
  asm volatile("" : "+r"(out));
  return out;
}

// First, what is in the loop, last; no call at the very end: that is a jump.
[[gnu::noinline]] bool known_way(std::size_t again) {
  bool all = note(0);
  for (std::size_t i = 0; i < again; ++i) all = note(1) && all;
  return note(2) && all;
}

namespace {

#if defined(__x86_64__)
// Switches as gcc writes them: a whole one; one that is entered behind its comparison; one whose
// comparison is of another register; one whose index changes after it. Each has a call before, and
// one in each of its two cases.
#define MALLARD_SWITCH(name, compared, enters, changes)                                \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name                    \
      ":\n.cfi_startproc\n"                                                            \
      "call " #name "\n.globl " #name "_0\n" #name "_0:\n" enters "cmp $2, %" compared \
      "\n"                                                                             \
      "ja 1f\nlea 2f(%rip), %rdx\n5: mov %edi, %eax\n" changes                         \
      "movslq (%rdx,%rax,4), %rax\n"                                                   \
      "add %rdx, %rax\nnotrack jmp *%rax\n"                                            \
      "3: call " #name "\n.globl " #name "_1\n" #name                                  \
      "_1:\nret\n"                                                                     \
      "4: call " #name "\n.globl " #name "_2\n" #name                                  \
      "_2:\nret\n"                                                                     \
      "1: ret\n.cfi_endproc\n.section .rodata\n.balign 4\n"                            \
      "2: .long 3b-2b, 4b-2b, 3b-2b\n.text\n");                                        \
  extern "C" char name[], name##_0[], name##_1[], name##_2[]
MALLARD_SWITCH(mallard_switch, "edi", "", "");
MALLARD_SWITCH(mallard_entered_switch, "edi", "test %esi, %esi\nje 5f\n", "");
MALLARD_SWITCH(mallard_unbounded_switch, "esi", "", "");
MALLARD_SWITCH(mallard_changed_switch, "edi", "", "and $7, %eax\n");

std::string code(std::initializer_list<int> bytes) {
  std::string out;
  for (const int one : bytes) out += static_cast<char>(one);
  return out;
}

TEST(instruction, has_its_length_and_goes_where_it_says) {
  const instruction call = decode(code({0xe8, 0x10, 0, 0, 0}));
  EXPECT_EQ(call.kind, instruction_kind::call);
  EXPECT_EQ(call.bytes, 5u);
  EXPECT_EQ(call.target, 0x15);
  const instruction back = decode(code({0x75, 0xf0, 0x90}));
  EXPECT_EQ(back.kind, instruction_kind::branch);
  EXPECT_EQ(back.target, 2 - 16);
  EXPECT_EQ(decode(code({0x48, 0x8b, 0x84, 0x24, 1, 2, 3, 4, 0x90})).bytes, 8u);  // mov
  EXPECT_EQ(decode(code({0x66, 0x0f, 0x3a, 0x0f, 0xc1, 8, 0x90})).bytes, 6u);     // palignr
  EXPECT_EQ(decode(code({0xc5, 0xf8, 0x77, 0x90})).bytes, 3u);                    // vzeroupper
  EXPECT_EQ(decode(code({0xff, 0x25, 1, 0, 0, 0})).kind, instruction_kind::jump_outside);
  EXPECT_EQ(decode(code({0xff, 0xe0})).kind, instruction_kind::jump_indirect);
  EXPECT_EQ(decode(code({0xf3, 0xc3})).kind, instruction_kind::leave);
}

TEST(instruction, that_ends_behind_the_code_is_not_known) {
  EXPECT_EQ(decode(code({0xe8, 0x10})).kind, instruction_kind::unknown);
  EXPECT_EQ(decode("").kind, instruction_kind::unknown);
}

std::uint64_t bias_of_program() {
  std::uint64_t out = 0;  // the program is the first
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        *static_cast<std::uint64_t*>(to) = info->dlpi_addr;
        return 1;
      },
      &out);
  return out;
}

// The flow from the call before a switch.
place_flow flow_before(const char* start, const char* place) {
  const std::uint64_t bias = bias_of_program();
  return flows_of("/proc/self/exe", {{reinterpret_cast<std::uint64_t>(place) - bias,
                                      reinterpret_cast<std::uint64_t>(start) - bias}})[0];
}

TEST(code_flow, leads_through_a_switch_to_all_its_cases) {
  const std::uint64_t bias = bias_of_program();
  const auto at = [&](const char* place) { return reinterpret_cast<std::uint64_t>(place) - bias; };
  const std::vector<place_flow> found =
      flows_of("/proc/self/exe", {{at(mallard_switch_0), at(mallard_switch)},
                                  {at(mallard_switch_1), at(mallard_switch)},
                                  {at(mallard_switch_2), at(mallard_switch)}});
  ASSERT_TRUE(found[0].known);
  EXPECT_EQ(found[0].next,
            (std::vector<std::uint64_t>{at(mallard_switch_1), at(mallard_switch_2)}));
  EXPECT_TRUE(found[0].leaves);  // past the last case
  EXPECT_EQ(found[0].calls, at(mallard_switch));
}

TEST(code_flow, of_a_switch_whose_cases_are_not_certain_is_not_known) {
  EXPECT_FALSE(flow_before(mallard_entered_switch, mallard_entered_switch_0).known);
  EXPECT_FALSE(flow_before(mallard_unbounded_switch, mallard_unbounded_switch_0).known);
  EXPECT_FALSE(flow_before(mallard_changed_switch, mallard_changed_switch_0).known);
}

TEST(code_flow, leads_from_call_to_call_and_round_loops) {
  ASSERT_TRUE(known_way(2));
  const std::uint64_t bias = bias_of_program();
  const std::uint64_t start = reinterpret_cast<std::uint64_t>(&known_way) - bias;
  std::vector<std::uint64_t> at;
  for (std::size_t i = 0; i < 3; ++i) at.push_back(called_from[i] - bias);
  const std::vector<place_flow> found =
      flows_of("/proc/self/exe", {{at[0], start}, {at[1], start}, {at[2], start}});
  const auto leads = [&](std::size_t from, std::size_t to) {
    const auto& next = found[from].next;
    return std::find(next.begin(), next.end(), at[to]) != next.end();
  };
  for (const place_flow& one : found) EXPECT_TRUE(one.known);
  ASSERT_TRUE(found[0].begins);
  EXPECT_EQ(*found[0].begins, std::vector<std::uint64_t>{at[0]});
  EXPECT_FALSE(leads(0, 0));
  EXPECT_TRUE(leads(0, 1) && leads(0, 2));
  EXPECT_TRUE(leads(1, 1) && leads(1, 2));
  EXPECT_TRUE(found[2].next.empty());
  EXPECT_TRUE(found[2].leaves);
  EXPECT_FALSE(found[0].leaves || found[1].leaves || found[0].skips);
  EXPECT_EQ(found[0].calls, reinterpret_cast<std::uint64_t>(&note) - bias);
  EXPECT_FALSE(found[0].outside);
}
#endif

TEST(code_flow, of_what_is_no_program_is_not_known) {
  EXPECT_EQ(flows_of("/etc/passwd", {{100, 10}}), std::vector<place_flow>(1));
}

}  // namespace
}  // namespace mallard::profile
