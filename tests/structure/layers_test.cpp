#include "structure/layers.hpp"

#include <gtest/gtest.h>

namespace {

using structure::layer_violations;
using structure::source_tree;

TEST(layers, no_include_of_the_project_goes_upwards) {
  const source_tree tree = structure::read_sources(MALLARD_SOURCE_DIR);
  ASSERT_GT(tree.size(), 20u);  // or we looked in the wrong place
  for (const std::string& violation : layer_violations(tree)) ADD_FAILURE() << violation;
}

// The rule itself, on trees made up for it.

TEST(layers, downwards_and_sideways_are_fine) {
  EXPECT_TRUE(
      layer_violations(
          {
              {"include/mallard/detail/os/pages.hpp", "#include <cstddef>\n"},
              {"include/mallard/multipool.hpp", "#include \"mallard/page_source.hpp\"\n"},
              {"include/mallard/page_source.hpp", "#include \"mallard/detail/os/pages.hpp\"\n"},
              {"src/lab/bench/plan.cpp",
               "#include \"lab/bench/plan.hpp\"\n#include \"mallard/mallard.hpp\""},
              {"src/lab/bench/plan.hpp", ""},
          })
          .empty());
}

void expect_one(const source_tree& tree, const char* expected) {
  const auto found = layer_violations(tree);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], expected);
}

TEST(layers, an_upward_include_is_found) {
  expect_one({{"include/mallard/detail/core/slab.hpp",
               "#pragma once\n  #  include \"mallard/multipool.hpp\"\n"}},
             "include/mallard/detail/core/slab.hpp (core) includes mallard/multipool.hpp "
             "(resources)");
}

TEST(layers, angle_brackets_are_no_way_round) {
  expect_one({{"src/os/pages.cpp", "#include <mallard/detail/core/ring.hpp>\n"}},
             "src/os/pages.cpp (os) includes mallard/detail/core/ring.hpp (core)");
}

TEST(layers, the_tool_is_above_the_library_and_the_command_above_the_report) {
  expect_one({{"src/resources/multipool.cpp", "#include \"lab/bench/plan.hpp\"\n"},
              {"src/lab/bench/plan.hpp", ""}},
             "src/resources/multipool.cpp (resources) includes lab/bench/plan.hpp (bench)");
  expect_one(
      {{"src/report/page.cpp", "#include \"cli/options.hpp\"\n"}, {"src/cli/options.hpp", ""}},
      "src/report/page.cpp (report) includes cli/options.hpp (cli)");
}

TEST(layers, folders_of_the_lab_are_layers) {
  expect_one({{"src/lab/measuring/place.cpp", "#include \"lab/results/cell.hpp\"\n"},
              {"src/lab/results/cell.hpp", ""}},
             "src/lab/measuring/place.cpp (measuring) includes lab/results/cell.hpp (results)");
  expect_one({{"src/lab/stray.cpp", ""}}, "src/lab/stray.cpp belongs to no layer");
}

TEST(layers, the_library_does_not_include_its_own_umbrella) {
  expect_one({{"src/checks/test_resource.cpp", "#include \"mallard/mallard.hpp\"\n"}},
             "src/checks/test_resource.cpp (checks) includes mallard/mallard.hpp (umbrella)");
}

TEST(layers, every_file_needs_a_layer) {
  expect_one({{"src/misc/util.cpp", ""}}, "src/misc/util.cpp belongs to no layer");
  expect_one({{"src/lab/bench/plan.cpp", "#include \"mallard/unheard_of.hpp\"\n"}},
             "src/lab/bench/plan.cpp includes mallard/unheard_of.hpp, which belongs to no layer");
}

TEST(layers, a_commented_include_is_no_include) {
  EXPECT_TRUE(layer_violations({{"src/os/a.cpp", "// #include \"lab/bench/plan.hpp\"\n"}}).empty());
}

}  // namespace
