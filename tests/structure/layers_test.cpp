#include "structure/layers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/commands.hpp"
#include "support/read_file.hpp"

namespace {

using structure::include_violations;
using structure::room;
using structure::source_tree;

std::vector<room> rooms_of_the_map() {
  return structure::read_rooms(mallard_test::read_file(MALLARD_SOURCE_DIR "/docs/map.md"));
}

TEST(layers, every_include_is_one_that_the_map_allows) {
  const source_tree tree = structure::read_sources(MALLARD_SOURCE_DIR);
  ASSERT_GT(tree.size(), 20u);  // or we looked in the wrong place
  for (const std::string& one : include_violations(rooms_of_the_map(), tree)) ADD_FAILURE() << one;
}

// Not to be run for a build without ninja, which has no list of what was compiled from what.
TEST(layers, every_object_depends_only_on_what_the_map_allows) {
  if (std::string(MALLARD_NINJA).find("ninja") == std::string::npos) GTEST_SKIP();
  const auto [deps, status] =
      mallard_test::run_command("'" MALLARD_NINJA "' -n -C '" MALLARD_BINARY_DIR "' -t deps 2>&1");
  ASSERT_EQ(status, 0);
  ASSERT_NE(deps.find("src/core/slab_set.cpp"), deps.npos) << deps.substr(0, 1000);
  for (const std::string& one : structure::build_violations(
           rooms_of_the_map(), deps, MALLARD_BINARY_DIR, MALLARD_SOURCE_DIR)) {
    ADD_FAILURE() << one;
  }
}

TEST(layers, the_file_to_start_reading_in_is_there) {
  const source_tree tree = structure::read_sources(MALLARD_SOURCE_DIR);
  for (const room& one : rooms_of_the_map()) {
    for (const std::string& start : one.start) {
      EXPECT_TRUE(std::any_of(tree.begin(), tree.end(),
                              [&](const auto& file) { return file.first.ends_with("/" + start); }))
          << one.name << ' ' << start;
    }
  }
}

// The rules themselves, on rooms and trees made up for them.

const std::string page = R"(# The map

| room | where | its job | may include | start in |
|---|---|---|---|---|
| `common` | `include/mallard/detail/*.hpp` | configuration | nothing | `config.hpp` |
| `core` | `include/mallard/detail/core`, `src/core` | slabs | `common` (by macro: `malloc`) | |
| `pools` | `include/mallard/*.hpp` | pools | `common`, `core` | |
| `malloc` | `src/malloc` | the malloc | `common`, `core` | |
| `tool` | `src/tool` | the tool | `pools` | |

More text.
)";

std::vector<std::string> violations(const source_tree& tree) {
  return include_violations(structure::read_rooms(page), tree);
}

void expect_one(const source_tree& tree, const char* expected) {
  const auto found = violations(tree);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], expected);
}

TEST(layers, includes_within_a_room_and_of_allowed_rooms_are_fine) {
  EXPECT_TRUE(
      violations({{"include/mallard/detail/core/slab.hpp", "#include <cstddef>\n"},
                  {"include/mallard/multipool.hpp", "#include \"mallard/heap.hpp\"\n"},
                  {"include/mallard/heap.hpp", "#include \"mallard/detail/core/slab.hpp\"\n"},
                  {"src/tool/plan.cpp", "#include \"tool/plan.hpp\"\n"},
                  {"src/tool/plan.hpp", "#include \"mallard/heap.hpp\""}})
          .empty());
}

TEST(layers, an_include_that_is_not_listed_is_found) {
  expect_one({{"include/mallard/detail/core/slab.hpp",
               "#pragma once\n  #  include \"mallard/multipool.hpp\"\n"}},
             "include/mallard/detail/core/slab.hpp (core) includes mallard/multipool.hpp (pools)");
  expect_one({{"src/tool/plan.cpp", "#include <mallard/detail/core/ring.hpp>\n"}},
             "src/tool/plan.cpp (tool) includes mallard/detail/core/ring.hpp (core)");
}

TEST(layers, what_only_a_macro_may_include_may_not_be_included_by_name) {
  expect_one(
      {{"src/core/slab.cpp", "#include \"malloc/records.hpp\"\n"}, {"src/malloc/records.hpp", ""}},
      "src/core/slab.cpp (core) includes malloc/records.hpp (malloc)");
}

TEST(layers, every_file_needs_a_room) {
  expect_one({{"src/misc/util.cpp", ""}}, "src/misc/util.cpp belongs to no room");
  expect_one({{"include/mallard/detail/misc/util.hpp", ""}},
             "include/mallard/detail/misc/util.hpp belongs to no room");
  expect_one({{"src/tool/plan.cpp", "#include \"mallard/misc/unheard_of.hpp\"\n"}},
             "src/tool/plan.cpp includes mallard/misc/unheard_of.hpp, which belongs to no room");
}

TEST(layers, a_room_may_only_include_those_listed_above_it) {
  std::string circle = page;
  circle.replace(circle.find("| nothing |"), 11, "| `core` |");
  EXPECT_EQ(include_violations(structure::read_rooms(circle), {}),
            std::vector<std::string>{"common may include core, which is not above it"});
}

TEST(layers, a_commented_include_is_no_include) {
  EXPECT_TRUE(violations({{"src/core/a.cpp", "// #include \"tool/plan.hpp\"\n"}}).empty());
}

std::vector<std::string> built(const std::string& object, const std::string& files) {
  return structure::build_violations(structure::read_rooms(page),
                                     object + ": #deps 2, deps mtime 1 (VALID)\n" + files,
                                     "/p/build/dev", "/p");
}

TEST(layers, an_include_that_no_text_shows_is_found_in_the_build) {
  const std::string computed = "    ../../src/core/slab.cpp\n    /p/src/malloc/records.hpp\n";
  EXPECT_EQ(built("src/core.o", computed),
            std::vector<std::string>{"src/core.o depends on src/malloc/records.hpp (malloc)"});
  EXPECT_TRUE(built("src/malloc/core.o", computed).empty());
}

TEST(layers, an_object_may_depend_on_what_its_includes_include) {
  EXPECT_TRUE(built("src/tool/plan.o",
                    "    ../../src/tool/plan.cpp\n    ../../include/mallard/heap.hpp\n"
                    "    ../../include/mallard/detail/core/slab.hpp\n    /usr/include/stdio.h\n")
                  .empty());
  EXPECT_EQ(
      built("src/tool/plan.o", "    src/tool/made.cpp\n    ../../src/malloc/records.hpp\n").size(),
      1u);
}

}  // namespace
