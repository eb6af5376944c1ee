#include "profile/block_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profile/trace_script.hpp"

namespace mallard::profile {
namespace {

using testing::ElementsAre;

struct diary final : block_handler {
  void operation(const recorded&) { lines.push_back("operation"); }
  void died(const recorded&, const live_block& block, const block_end& how) {
    const char* const why = how.why == block_end::cause::freed         ? "freed "
                            : how.why == block_end::cause::reallocated ? "reallocated "
                                                                       : "lost ";
    std::string line = why + std::to_string(block.bytes);
    if (how.temporary) line += " temporary";
    if (how.remote) line += " remote";
    if (how.moved_bytes != 0) line += " moved " + std::to_string(how.moved_bytes);
    lines.push_back(line);
  }
  void born(const recorded&, const live_block& block) {
    lines.push_back("born " + std::to_string(block.bytes));
  }
  void outlived(const live_block& block) {
    lines.push_back("outlived " + std::to_string(block.bytes));
  }
  void unknown_free(const recorded&) { lines.push_back("unknown"); }
  void failed(const recorded&) { lines.push_back("failed"); }
  void at_peak() { lines.push_back("peak"); }
  void resource(const recorded&) { lines.push_back("resource"); }

  std::vector<std::string> lines;
};

class blocks_test : public testing::Test {
 protected:
  void allocate(std::uint32_t thread, std::uint64_t address, std::uint64_t size,
                std::uint32_t stack = 0) {
    add(thread, event_kind::allocate, address, 0, size, stack);
  }
  void free(std::uint32_t thread, std::uint64_t address) {
    add(thread, event_kind::free, address, 0, 0);
  }
  void reallocate(std::uint32_t thread, std::uint64_t from, std::uint64_t to, std::uint64_t size) {
    add(thread, event_kind::reallocate, to, from, size);
  }
  void add(std::uint32_t thread, event_kind kind, std::uint64_t address, std::uint64_t old,
           std::uint64_t size, std::uint32_t stack = 0, std::uint8_t function = 0,
           std::uint32_t cost = 0) {
    event one;
    one.time = time_ += 64;
    one.cost = cost;
    one.kind = kind;
    one.address = address;
    one.old_address = old;
    one.size = size;
    one.stack = stack;
    one.function = function;
    writer_.events(thread, {{one}});
  }
  std::vector<std::string> read(std::uint64_t peak = UINT64_MAX) {
    writer_.finish();
    trace_reader reader(file_.path());
    diary told;
    block_stream blocks(reader);
    blocks.expect_peak(peak);
    blocks.run(reader.events(), told);
    return told.lines;
  }

 private:
  scratch_file file_;
  trace_writer writer_{file_.path(), {}};
  std::uint64_t time_ = 0;
};

TEST_F(blocks_test, of_a_place_that_is_anothers_before_the_reallocation_ends_stay_the_others) {
  allocate(0, 0x100, 8);
  allocate(1, 0x100, 9);  // the place is free once the block has moved
  add(0, event_kind::reallocate, 0x200, 0x100, 20, 0, 0, 100);
  free(1, 0x100);
  free(0, 0x200);
  EXPECT_THAT(read(), ElementsAre("operation", "born 8", "lost 8", "operation", "born 9",
                                  "operation", "born 20", "operation", "freed 9 temporary",
                                  "operation", "freed 20 temporary"));
}

// Their times are rounded, and the costs are not.
TEST_F(blocks_test, that_one_thread_reallocates_again_and_again_end_however_close_the_times_are) {
  allocate(0, 0x100, 8);
  add(0, event_kind::reallocate, 0x200, 0x100, 20, 0, 0, 100);
  add(0, event_kind::reallocate, 0x100, 0x200, 30, 0, 0, 100);
  add(1, event_kind::reallocate, 0x100, 0x100, 40, 0, 0, 100);
  EXPECT_THAT(read(), ElementsAre("operation", "born 8", "operation", "reallocated 8 moved 8",
                                  "born 20", "operation", "reallocated 20 moved 20", "born 30",
                                  "operation", "reallocated 30", "born 40", "outlived 40"));
}

TEST_F(blocks_test, that_another_thread_moves_are_freed_by_it) {
  allocate(0, 0x100, 8);
  reallocate(1, 0x100, 0x200, 20);
  reallocate(0, 0x200, 0x200, 30);
  EXPECT_THAT(read(),
              ElementsAre("operation", "born 8", "operation", "reallocated 8 remote moved 8",
                          "born 20", "operation", "reallocated 20", "born 30", "outlived 30"));
}

TEST_F(blocks_test, are_temporary_if_the_next_operation_of_their_thread_frees_them) {
  allocate(0, 0x100, 8);
  allocate(1, 0x200, 9);  // another thread's operation is none of this one's
  free(0, 0x100);
  allocate(1, 0x300, 10);
  free(1, 0x200);
  free(1, 0x300);
  EXPECT_THAT(read(), ElementsAre("operation", "born 8", "operation", "born 9", "operation",
                                  "freed 8 temporary", "operation", "born 10", "operation",
                                  "freed 9", "operation", "freed 10"));
}

TEST_F(blocks_test, freed_by_another_thread_are_not_temporary) {
  allocate(0, 0x100, 8);
  free(1, 0x100);
  EXPECT_THAT(read(), ElementsAre("operation", "born 8", "operation", "freed 8 remote"));
}

TEST_F(blocks_test, a_reallocation_is_one_operation_that_ends_a_block_and_makes_one) {
  reallocate(0, 0, 0x100, 8);
  reallocate(0, 0x100, 0x200, 24);
  reallocate(0, 0x200, 0x200, 48);
  free(0, 0x200);
  EXPECT_THAT(read(), ElementsAre("operation", "born 8", "operation", "reallocated 8 moved 8",
                                  "born 24", "operation", "reallocated 24", "born 48", "operation",
                                  "freed 48 temporary"));
}

TEST_F(blocks_test, a_reallocation_that_failed_leaves_the_block_as_it_was) {
  allocate(0, 0x100, 8);
  reallocate(0, 0x100, 0, 1u << 30);
  allocate(0, 0, 1u << 30);
  reallocate(0, 0x100, 0, 0);  // which frees
  EXPECT_THAT(read(),
              ElementsAre("operation", "born 8", "failed", "failed", "operation", "reallocated 8"));
}

TEST_F(blocks_test, where_another_is_born_have_ended_unseen) {
  allocate(0, 0x100, 8);
  allocate(0, 0x100, 9);
  free(0, 0x500);
  EXPECT_THAT(read(), ElementsAre("operation", "born 8", "lost 8", "operation", "born 9",
                                  "operation", "unknown", "outlived 9"));
}

TEST_F(blocks_test, of_memory_resources_are_told_apart) {
  allocate(0, 0x100, 64);
  add(0, event_kind::allocate, 0x110, 1, 8, 0, resource_function);
  free(0, 0x100);
  EXPECT_THAT(read(),
              ElementsAre("operation", "born 64", "resource", "operation", "freed 64 temporary"));
}

TEST_F(blocks_test, the_peak_is_told_of_once) {
  for (int i = 0; i < 2; ++i) {
    allocate(0, 0x100, 8);
    free(0, 0x100);
  }
  EXPECT_THAT(read(8), ElementsAre("operation", "born 8", "peak", "operation", "freed 8 temporary",
                                   "operation", "born 8", "operation", "freed 8 temporary"));
}

TEST_F(blocks_test, a_stack_that_the_trace_has_lost_is_none) {
  allocate(0, 0x100, 8, 1'000'000);
  free(0, 0);  // what a damaged trace may say: no block's
  EXPECT_THAT(read(), ElementsAre("operation", "born 8", "outlived 8"));
}

}  // namespace
}  // namespace mallard::profile
