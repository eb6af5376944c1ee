// Loops of main whose turns leave nothing behind.
#include "profile/arena_loops.hpp"

#include <gmock/gmock.h>

#include "profile/analysis.hpp"
#include "profile/trace_script.hpp"

namespace mallard::profile {
namespace {

using testing::IsEmpty;

class arena_loops_test : public testing::Test {
 protected:
  arena_loops_test() { script.files_["main"] = "/src/server.cpp"; }
  // A turn of main's loop: a document that one function makes and another one drops.
  void turn(std::uint64_t line, std::uint64_t bytes) {
    std::uint64_t document = 0, index = 0;
    script.call("read_document", line, [&] { document = script.allocate(5, bytes); });
    index = script.allocate(line + 2, 100);
    script.call("drop", line + 6, [&] { script.free(9, index); });
    script.free(line + 8, document);
  }
  void in_main(const std::function<void()>& body) { script.call("main", 1, body); }
  std::vector<arena_loop> found() {
    script.finish();
    trace_reader reader(file.path());
    const function_table functions(reader);
    return trace_analysis(reader, functions, {.loops = true}).finish().loops;
  }

  scratch_file file;
  trace_script script{file.path()};
};

TEST_F(arena_loops_test, is_found_by_the_instants_at_which_nothing_lives) {
  in_main([&] {
    for (std::uint64_t i = 0; i < 50; ++i) turn(40, 1000 + i);
  });
  const std::vector<arena_loop> loops = found();
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].function, "main");
  EXPECT_EQ(loops[0].file, "/src/server.cpp");
  EXPECT_EQ(loops[0].first_line, 40u);
  EXPECT_EQ(loops[0].last_line, 48u);
  EXPECT_EQ(loops[0].turns, 48u);  // nobody saw where the first began and where the last one ended
  EXPECT_EQ(loops[0].blocks, 96u);
  EXPECT_EQ(loops[0].kept, 0u);
  EXPECT_EQ(loops[0].max_bytes, 1148u);
}

// As clang does: the first code of a loop and the last may be of its closing brace.
TEST_F(arena_loops_test, has_all_its_lines_wherever_the_compiler_puts_their_code) {
  script.told_lines_ = {{40, 48}, {42, 40}, {48, 48}};
  in_main([&] {
    for (std::uint64_t i = 0; i < 50; ++i) turn(40, 1000);
  });
  const std::vector<arena_loop> loops = found();
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].first_line, 40u);
  EXPECT_EQ(loops[0].last_line, 48u);
}

TEST_F(arena_loops_test, what_main_keeps_from_its_start_does_not_hide_it) {
  in_main([&] {
    for (int i = 0; i < 20; ++i) script.allocate(4, 64);
    for (int i = 0; i < 200; ++i) turn(40, 1000);
  });
  const std::vector<arena_loop> loops = found();
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].first_line, 40u);
  EXPECT_GE(loops[0].turns, 190u);
}

TEST_F(arena_loops_test, two_loops_are_two) {
  in_main([&] {
    for (int i = 0; i < 30; ++i) turn(40, 1000);
    for (int i = 0; i < 60; ++i) turn(80, 9000);
  });
  const std::vector<arena_loop> loops = found();
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].first_line, 80u);
  EXPECT_EQ(loops[1].first_line, 40u);
}

// They are all dead at times, when the other thread has caught up.
TEST_F(arena_loops_test, none_where_another_thread_frees_what_a_turn_makes) {
  in_main([&] {
    std::vector<std::uint64_t> handed_over;
    for (int i = 0; i < 200; ++i) {
      turn(40, 1000);
      for (int block = 0; block < 3; ++block) handed_over.push_back(script.allocate(44, 100));
      if (i % 5 != 0) continue;
      script.on_thread(1);
      script.call("consume", 1, [&] {
        for (const std::uint64_t block : handed_over) script.free(2, block);
      });
      script.on_thread(0);
      handed_over.clear();
    }
  });
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(arena_loops_test, none_where_each_turn_leaves_something) {
  in_main([&] {
    for (int i = 0; i < 50; ++i) {
      script.allocate(39, 16);
      turn(40, 1000);
    }
  });
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace mallard::profile
