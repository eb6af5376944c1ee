#include "profile/trace/symbolizer.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <link.h>

#include "profile/trace_script.hpp"

namespace mallard::profile {

// Called so that its own return address lies in the caller.
[[gnu::noinline]] std::uint64_t return_address() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}
[[gnu::noinline]] std::uint64_t somewhere_known() {
  const volatile std::uint64_t here = return_address();  // no call at the very end: that is a jump
  return here;
}

namespace {

// This program as a module of a trace.
module_info this_program() {
  module_info out;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        auto& one = *static_cast<module_info*>(to);
        one.load_bias = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type == PT_LOAD) one.segments.push_back({part.p_vaddr, part.p_memsz});
        }
        return 1;
      },
      &out);
  out.path = std::filesystem::canonical("/proc/self/exe").string();
  out.build_id = build_id_of(out.path);
  return out;
}

TEST(symbolizer, names_the_function_of_an_address) {
  stack_table stacks;
  const std::uint64_t ip = somewhere_known();
  stacks.child(0, {ip, 0});
  const symbol_table found = symbolizer().find(stacks.nodes(), {this_program()});
  ASSERT_EQ(found.of.size(), 1u);
  const symbol& one = found.of.begin()->second;
  ASSERT_FALSE(one.lines.empty());
  EXPECT_THAT(found.strings[one.lines.back().function], testing::HasSubstr("somewhere_known"));
  EXPECT_EQ(one.start, reinterpret_cast<std::uint64_t>(&somewhere_known));
}

TEST(symbolizer, tables_for_unwinding_say_where_functions_begin) {
  const module_info self = this_program();
  const auto functions = described_functions(self.path);
  const std::uint64_t wanted = reinterpret_cast<std::uint64_t>(&somewhere_known) - self.load_bias;
  const described_function* const found = function_at(functions, wanted + 1);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->start, wanted);
}

TEST(symbolizer, a_file_that_was_replaced_since_is_passed_over) {
  stack_table stacks;
  stacks.child(0, {somewhere_known(), 0});
  module_info changed = this_program();
  changed.build_id = "another";
  EXPECT_TRUE(symbolizer().find(stacks.nodes(), {changed}).of.empty());
  changed.path = "/nowhere/at/all";
  EXPECT_TRUE(symbolizer().find(stacks.nodes(), {changed}).of.empty());
}

TEST(symbolizer, an_address_means_the_module_that_lay_there_then) {
  module_info first{.path = "a.so", .load_bias = 0x1000, .segments = {{0, 0x1000}}};
  first.last_stack = 10;
  module_info second = first;
  second.path = "b.so";
  second.first_stack = 10;
  second.last_stack = UINT32_MAX;
  const std::vector<module_info> modules = {first, second};
  EXPECT_EQ(module_at(modules, 0x1010, 5), 0u);
  EXPECT_EQ(module_at(modules, 0x1010, 10), 1u);
  EXPECT_EQ(module_at(modules, 0x9000, 10), 2u);
}

TEST(symbolizer, what_it_found_is_in_the_trace) {
  const scratch_file file;
  trace_writer writer(file.path(), {});
  writer.module(this_program());
  const std::vector<frame> frames = {{somewhere_known(), 1}};
  writer.stack(frames);
  symbolizer().add(writer);
  ASSERT_TRUE(writer.finish());
  const trace_reader reader(file.path());
  ASSERT_EQ(reader.symbols().of.size(), 1u);
}

}  // namespace
}  // namespace mallard::profile
