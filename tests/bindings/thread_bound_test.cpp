#include "mallard/thread_bound.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mallard/checks/counting_resource.hpp"
#include "mallard/mallard.hpp"

namespace {

using mallard::counting_resource;
template <class T, class Tag = void>
using bound = mallard::thread_bound_allocator<T, counting_resource, Tag>;
using binding = mallard::thread_binding<counting_resource>;
using text = std::basic_string<char, std::char_traits<char>, bound<char>>;
using bound_traits = std::allocator_traits<bound<int>>;

static_assert(bound_traits::is_always_equal::value);
static_assert(std::is_same_v<bound_traits::rebind_alloc<long>, bound<long>>);
static_assert(sizeof(std::vector<int, bound<int>>) == sizeof(std::vector<int>));
static_assert(sizeof(text) == sizeof(std::string));

const std::string long_text(100, 'a');

TEST(thread_bound_allocator, allocates_from_the_resource_of_the_thread) {
  counting_resource memory;
  const binding here(memory);
  EXPECT_EQ(binding::resource(), &memory);
  std::map<int, text, std::less<>, bound<std::pair<const int, text>>> words;
  words.emplace(1, long_text);
  EXPECT_EQ(memory.counts().in_use_blocks, 2u);
  auto moved = std::move(words);
  EXPECT_EQ(memory.counts().allocations, 2u);
  moved.clear();
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(thread_bound_allocator, an_inner_binding_counts_until_it_ends) {
  counting_resource outer, inner;
  const binding of_outer(outer);
  {
    const binding of_inner(inner);
    const text t(long_text);
    EXPECT_EQ(inner.counts().in_use_blocks, 1u);
  }
  EXPECT_EQ(binding::resource(), &outer);
  EXPECT_EQ(inner.counts().in_use_blocks, 0u);
  EXPECT_EQ(outer.counts().allocations, 0u);
}

TEST(thread_bound_allocator, tags_and_types_of_resources_have_bindings_of_their_own) {
  struct other;
  counting_resource first, second;
  std::pmr::monotonic_buffer_resource third;
  const binding one(first);
  const mallard::thread_binding<counting_resource, other> two(second);
  const mallard::thread_binding<std::pmr::memory_resource> three(third);
  const std::vector<int, bound<int, other>> of_second(3);
  const std::vector<int, mallard::thread_bound_allocator<int, std::pmr::memory_resource>> of_third(
      3);
  EXPECT_EQ(first.counts().allocations, 0u);
  EXPECT_EQ(second.counts().in_use_bytes, 3 * sizeof(int));
}

TEST(thread_bound_allocator, threads_have_bindings_of_their_own) {
  counting_resource mine, others;
  const binding here(mine);
  std::thread([&] {
    EXPECT_EQ(binding::resource(), nullptr);
    const binding there(others);
    const text t(long_text);
    EXPECT_EQ(others.counts().in_use_blocks, 1u);
  }).join();
  EXPECT_EQ(mine.counts().allocations, 0u);
}

TEST(thread_bound_allocator, refuses_counts_whose_size_overflows) {
  counting_resource memory;
  const binding here(memory);
  EXPECT_THROW((void)bound<long>().allocate(std::numeric_limits<std::size_t>::max() / 2),
               std::bad_array_new_length);
  EXPECT_EQ(memory.counts().allocations, 0u);
}

}  // namespace
