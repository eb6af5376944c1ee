// Threads that hand blocks of one resource over, end, adopt and give back, in every order of their
// steps.
#include <gtest/gtest.h>

#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "support/seeds.hpp"
#include "support/stepped_resource.hpp"

namespace {

using mallard_test::shared_blocks;
using mallard_test::step;
using mallard_test::stepped_resource;

template <class Resource>
class synchronized_stepping_test : public testing::Test {
 protected:
  stepped_resource<Resource> subject;
};
using synchronized_resources =
    testing::Types<mallard::synchronized_multipool_resource, mallard::synchronized_heap_resource>;
TYPED_TEST_SUITE(synchronized_stepping_test, synchronized_resources);

step allocate(std::size_t count, std::size_t bytes) {
  return [=](shared_blocks& blocks) { blocks.allocate(count, bytes); };
}

step free_oldest(std::size_t count) {
  return [=](shared_blocks& blocks) { blocks.free_oldest(count); };
}

void trim(shared_blocks& blocks) {
  blocks.subject().trim();
}

// More than a batch each, and what is left of one.
TYPED_TEST(synchronized_stepping_test, blocks_that_go_home_while_their_threads_end_are_not_lost) {
  EXPECT_EQ(mallard_test::run_in_every_order(this->subject, {{allocate(70, 48), allocate(10, 48)},
                                                             {free_oldest(50), free_oldest(30)},
                                                             {allocate(40, 48), trim}}),
            90U);
}

TYPED_TEST(synchronized_stepping_test, slabs_that_are_adopted_keep_the_blocks_that_are_under_way) {
  EXPECT_EQ(
      mallard_test::run_in_every_order(this->subject, {{allocate(150, 1'000)},
                                                       {free_oldest(100)},
                                                       {allocate(20, 1'000), allocate(80, 1'000)},
                                                       {trim}}),
      60U);
}

TYPED_TEST(synchronized_stepping_test, programs_of_any_steps_lose_nothing) {
  for (const std::uint64_t seed : mallard_test::test_seeds(4)) {
    mallard_test::choices decide(seed, 400);
    try {
      mallard_test::run_stepped_program(this->subject, this->subject.sizes, decide);
    } catch (const mallard_test::check_failure& e) {
      FAIL() << e.what() << mallard_test::reproduce_with(seed);
    }
  }
}

}  // namespace
