#include "lab/measuring/aging.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "lab/kernels/barrier.hpp"
#include "lab/measuring/meters.hpp"
#include "lab/measuring/private_heap.hpp"
#include "support/child.hpp"
#include "support/instrumented.hpp"

namespace mallard::lab {
namespace {

constexpr aging_recipe small = {.lists = 16, .strings_per_list = 500};

template <class Check>
bool in_child(const Check& check) {
  return mallard_test::exit_code_of([&] { _exit(check() ? 0 : 1); }) == 0;
}

TEST(aging, same_recipe_keeps_the_same_strings_every_time) {
  const aging_report first = age_heap(small);
  const aging_report second = age_heap(small);
  EXPECT_EQ(first.digest, second.digest);
  EXPECT_EQ(first.strings_kept, second.strings_kept);
}

TEST(aging, another_recipe_keeps_others) {
  aging_recipe other = small;
  other.shuffles = 4;
  EXPECT_NE(age_heap(small).digest, age_heap(other).digest);
}

TEST(aging, frees_three_of_four_lists_and_keeps_the_rest) {
  const aging_report report = age_heap(small);
  EXPECT_EQ(report.strings_kept + report.strings_freed, 16U * 500U);
  EXPECT_NEAR(static_cast<double>(report.strings_kept), 16 * 500 / 4.0, 16 * 500 / 20.0);
}

TEST(private_heap, leaves_no_page_of_the_heap_to_be_copied_later) {
  if (mallard_test::instrumented) GTEST_SKIP();
  std::vector<char> block(32 << 10, 'x');  // on the heap, and there before the fork
  EXPECT_TRUE(in_child([&] {
    make_heap_private();
    const auto before = read_page_faults().minor;
    for (std::size_t at = 0; at < block.size(); at += 512) block[at] = 'y';
    return read_page_faults().minor - before <= 1;
  }));
}

TEST(private_heap, anywhere_copies_what_is_in_use_and_nothing_else) {
  if (mallard_test::instrumented) GTEST_SKIP();
  constexpr std::size_t half = 16 << 20;
  void* mapped =
      mmap(nullptr, 2 * half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* bytes = static_cast<char*>(mapped);
  std::memset(bytes, 'x', half);
  EXPECT_TRUE(in_child([&] {
    const auto resident = read_resident_bytes();
    make_heap_private(/*anywhere=*/true);
    if (read_resident_bytes() > resident + half / 2) return false;  // the untouched half
    const auto before = read_page_faults().minor;
    for (std::size_t at = 0; at < half; at += 512) bytes[at] = 'y';
    return read_page_faults().minor - before <= 1;
  }));
  EXPECT_EQ(bytes[0], 'x');
  munmap(mapped, 2 * half);
}

TEST(meters, address_space_holds_the_resident_set) {
  EXPECT_GT(read_resident_bytes(), 0U);
  EXPECT_GE(read_address_space_bytes(), read_resident_bytes());
}

TEST(meters, peak_of_the_resident_set_follows_what_is_touched) {
  constexpr std::size_t bytes = 32 << 20;
  EXPECT_TRUE(in_child([&] {
    reset_peak_resident();
    const auto before = read_peak_resident_bytes();
    const std::vector<char> block(bytes, 'x');
    consume_memory(block.data());  // or there is no need to fill it
    return read_peak_resident_bytes() >= before + bytes * 9 / 10;
  }));
}

}  // namespace
}  // namespace mallard::lab
