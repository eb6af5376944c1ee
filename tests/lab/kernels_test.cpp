// The kernels: every strategy of every library does the same work, and winks out for real.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory_resource>
#include <set>
#include <string>
#include <vector>

#include "lab/kernels/container_run.hpp"
#include "lab/kernels/container_work.hpp"
#include "lab/kernels/fill.hpp"
#include "lab/kernels/hashes.hpp"
#include "lab/measuring/contender.hpp"
#include "lab/measuring/peers.hpp"
#include "lab/measuring/strategies.hpp"

namespace mallard::lab {
namespace {

class kernels_test : public testing::TestWithParam<int> {
 protected:
  kernels_test() : text_(text_bytes), buffer_(64 << 20) { write_text(text_, 1); }

  std::uint64_t checksum(container_kernel run, bool callers_buffer, std::uint64_t runs) {
    container_work job;
    job.outer_elements = 32;
    job.text = text_.data();
    job.random = random_stream(5);
    if (callers_buffer) job.buffer = buffer_;
    run(job, runs);
    return job.checksum;
  }

  std::vector<char> text_;
  std::vector<std::byte> buffer_;
};

TEST_P(kernels_test, every_strategy_of_every_library_handles_the_same_elements) {
  std::vector<std::string> peers;
  for (const auto& peer : available_peers()) peers.push_back(peer.name);
  peers.emplace_back(global_peer);
  for (const fairness choices : {fairness::fair, fairness::paper}) {
    std::set<std::uint64_t> checksums;
    std::size_t kernels = 0;
    for (const strategy& how : all_strategies()) {
      for (const std::string& peer : peers) {
        const container_kernel run = find_container_kernel(GetParam(), how, peer, choices);
        if (!run) continue;
        ++kernels;
        checksums.insert(checksum(run, how.callers_buffer, 3));
        EXPECT_EQ(checksums.size(), 1U) << how.name << '@' << peer;
      }
    }
    EXPECT_GE(kernels, 1 + 16 * available_peers().size());
    EXPECT_NE(*checksums.begin(), 0U);
  }
}

TEST_P(kernels_test, checksum_depends_on_the_number_of_runs) {
  const container_kernel run =
      find_container_kernel(GetParam(), *find_strategy("AS1"), global_peer, fairness::fair);
  EXPECT_NE(checksum(run, false, 1), checksum(run, false, 2));
}

INSTANTIATE_TEST_SUITE_P(AllStructures, kernels_test, testing::Range(1, 13));

using ints = std::vector<int>;
using fair = fair_mode;

TEST(fill, container_has_exactly_the_elements_it_reserved_space_for) {
  std::vector<char> text(text_bytes);
  write_text(text, 1);
  container_work job;
  job.text = text.data();
  job.outer_elements = 100;
  ints flat;
  fill<fair>(flat, job);
  EXPECT_EQ(flat.size(), 100U);
  EXPECT_EQ(flat.capacity(), 100U);
  std::vector<ints> nested;
  fill<fair>(nested, job);
  EXPECT_EQ(nested.size(), 100U);
  EXPECT_EQ(nested.capacity(), 100U);
  for (const ints& inner : nested) EXPECT_EQ(inner.size(), inner_elements);
}

TEST(fill, paper_mode_adds_one_element_too_many_to_nested_containers) {
  container_work job;
  job.outer_elements = 100;
  std::vector<ints> nested;
  fill<paper_mode>(nested, job);
  EXPECT_EQ(nested.size(), 101U);
}

TEST(fill, strings_have_the_papers_lengths_in_both_modes) {
  std::vector<char> text(text_bytes);
  write_text(text, 1);
  container_work job;
  job.text = text.data();
  const auto check = [&](auto draw) {
    std::uint32_t shortest = ~0U;
    std::uint32_t longest = 0;
    for (int i = 0; i < 100000; ++i) {
      const piece one = draw();
      shortest = std::min(shortest, one.length);
      longest = std::max(longest, one.length);
      ASSERT_GE(one.begin, text.data());
      ASSERT_LE(one.begin + one.length, text.data() + text.size());
    }
    EXPECT_EQ(shortest, min_string);
    EXPECT_EQ(longest, max_string);
  };
  check([&] { return next_string<fair>(job); });
  check([&] { return next_string<paper_mode>(job); });
}

TEST(fill, touching_leaves_the_elements_as_they_are) {
  int number = 7;
  EXPECT_EQ(touch(number, 0), 7U);
  EXPECT_EQ(number, 7);
  std::string text = "abc";
  EXPECT_EQ(touch(text, 0), 3U * 256 + 'a');
  EXPECT_EQ(text, "abc");
}

TEST(hashes, fair_string_hash_depends_on_the_text_alone) {
  const std::pmr::string one(500, 'x');
  const std::string same(500, 'x');
  EXPECT_EQ(fair_string_hash{}(one), fair_string_hash{}(same));
  EXPECT_NE(fair_string_hash{}(one), fair_string_hash{}(std::string(501, 'x')));
}

#ifdef __GLIBCXX__
// The fair comparison of sets of strings rests on this.
TEST(hashes, every_fair_string_hash_is_cached_by_libstdcxx) {
  EXPECT_TRUE((std::__cache_default<std::string, fair_string_hash>::value));
  EXPECT_TRUE((std::__cache_default<std::pmr::string, fair_string_hash>::value));
  // And what the original compared.
  EXPECT_TRUE((std::__cache_default<std::string, std::hash<std::string>>::value));
  EXPECT_FALSE((std::__cache_default<std::pmr::string, paper_string_hash>::value));
}
#endif

TEST(hashes, address_hash_spreads_regular_strides) {
  // 1,000 elements at a stride of 64 bytes over 1,009 buckets: about as many in use as for random
  // numbers, 1009 * (1 - 1/e) = 634.
  struct alignas(64) element {
    char content[64];
  };
  const std::vector<element> elements(1000);
  std::set<std::size_t> buckets;
  for (const element& one : elements) buckets.insert(fair_address_hash{}(one) % 1009);
  EXPECT_GT(buckets.size(), 570U);
  EXPECT_LT(buckets.size(), 700U);
}

}  // namespace
}  // namespace mallard::lab
