#include "structure/snippets.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace {

std::string program_of_page(const std::string& path, const std::string& markdown) {
  return structure::program_of_pages({{path, markdown}});
}

TEST(snippets, a_block_becomes_the_body_of_a_function) {
  const std::string program = program_of_page("p.md", "Text.\n```cpp\nint x = 1;\n```\nMore.\n");
  EXPECT_NE(program.find("int block_0() {\n#line 3 \"p.md\"\nint x = 1;\nreturn 0;\n}"),
            std::string::npos)
      << program;
  EXPECT_EQ(program.find("Text"), std::string::npos);
}

TEST(snippets, includes_move_to_the_top) {
  const std::string program =
      program_of_page("p.md", "```cpp\n#include <vector>\nstd::vector<int> v;\n```\n");
  EXPECT_LT(program.find("#include <vector>\n"), program.find("namespace page_p {")) << program;
}

TEST(snippets, a_block_with_a_main_is_taken_as_it_is) {
  const std::string program =
      program_of_page("p.md", "```cpp\nstruct s {};\nint main() { s x; }\n```\n");
  EXPECT_NE(program.find("#define main block_0\n#line 2 \"p.md\"\nstruct s {};\n"
                         "int main() { s x; return 0;}\n#undef main\n"),
            std::string::npos)
      << program;
}

TEST(snippets, other_languages_are_left_out) {
  const std::string program = program_of_page("p.md", "```sh\nrm -rf x\n```\n```\nplain\n```\n");
  EXPECT_EQ(program.find("rm"), program.npos);
  EXPECT_EQ(program.find("plain"), program.npos);
}

TEST(snippets, every_block_is_run) {
  const std::string program = program_of_page("p.md", "```cpp\nf();\n```\n```cpp\ng();\n```\n");
  EXPECT_NE(program.find("if (const int result = run_block(block_0))"), std::string::npos);
  EXPECT_NE(program.find("if (const int result = run_block(block_1))"), std::string::npos);
}

TEST(snippets, each_page_has_a_namespace_and_runs_by_its_name) {
  const std::string program = structure::program_of_pages(
      {{"docs/winking-out.md", "```cpp\nf();\n```\n"}, {"/a/README.md", "```cpp\nf();\n```\n"}});
  EXPECT_NE(program.find("namespace page_winking_out {"), program.npos) << program;
  EXPECT_NE(program.find("if (name == \"winking-out\") return page_winking_out::run();"),
            program.npos);
  EXPECT_NE(program.find("if (name == \"README\") return page_README::run();"), program.npos);
}

TEST(snippets, no_block_may_be_left_out) {
  EXPECT_THROW(program_of_page("p.md", "```cpp no-compile\nx\n```\n"), std::runtime_error);
  EXPECT_THROW(program_of_page("p.md", "```cpp,ignore\nx\n```\n"), std::runtime_error);
}

TEST(snippets, an_open_fence_is_an_error) {
  EXPECT_THROW(program_of_page("p.md", "```cpp\nint x;\n"), std::runtime_error);
}

TEST(snippets, the_example_in_a_headers_first_comment_is_compiled_with_the_header) {
  const std::string program =
      program_of_page("/a/include/mallard/p.hpp",
                      "// Purpose: p.\n//\n//   int x = 1;\n//\n//   int y = 2;\n//\n// More.\n"
                      "#pragma once\n//   int z;\n");
  EXPECT_NE(program.find("#include \"mallard/p.hpp\"\n"), program.npos) << program;
  EXPECT_NE(program.find("int block_0() {\n#line 3 \"/a/include/mallard/p.hpp\"\n"
                         "int x = 1;\n\nint y = 2;\nreturn 0;\n}"),
            program.npos)
      << program;
  EXPECT_EQ(program.find("int z"), program.npos);
}

TEST(snippets, a_header_without_an_example_is_an_error) {
  EXPECT_THROW(program_of_page("include/mallard/p.hpp", "// Purpose: p.\n#pragma once\n"),
               std::runtime_error);
}

}  // namespace
