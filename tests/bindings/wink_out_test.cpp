#include "mallard/wink_out.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <queue>
#include <scoped_allocator>
#include <set>
#include <stack>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "mallard/checks/counting_resource.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/mallard.hpp"

// Owns only memory by declaration; its destructor says when it runs.
struct telltale {
  explicit telltale(int* runs) : destructor_runs(runs) {}
  ~telltale() { ++*destructor_runs; }
  int* destructor_runs;
};
template <>
struct mallard::winkable<telltale> : std::true_type {};

struct failing_constructor {
  failing_constructor() { throw std::runtime_error("no"); }
  std::uint64_t words[8] = {};
};

namespace {

using arena = mallard::monotonic_resource;
template <class T>
using in_arena = mallard::allocator<T, arena>;
using arena_string = std::basic_string<char, std::char_traits<char>, in_arena<char>>;

static_assert(mallard::is_winkable_v<int>);
static_assert(mallard::is_winkable_v<std::vector<int, in_arena<int>>>);
static_assert(mallard::is_winkable_v<arena_string>);
static_assert(mallard::is_winkable_v<std::list<arena_string, in_arena<arena_string>>>);
static_assert(mallard::is_winkable_v<std::pmr::vector<std::pmr::string>>);
static_assert(mallard::is_winkable_v<std::pmr::map<int, std::pmr::string>>);
static_assert(mallard::is_winkable_v<std::pmr::unordered_map<std::pmr::string, int>>);
static_assert(mallard::is_winkable_v<std::array<arena_string, 2>>);
static_assert(mallard::is_winkable_v<std::optional<std::pmr::string>>);
static_assert(mallard::is_winkable_v<std::tuple<int, std::pmr::string>>);
static_assert(mallard::is_winkable_v<std::variant<int, std::pmr::vector<int>>>);
static_assert(mallard::is_winkable_v<std::pair<const int, arena_string>>);
static_assert(mallard::is_winkable_v<std::stack<int, std::pmr::deque<int>>>);
static_assert(mallard::is_winkable_v<std::priority_queue<int, std::pmr::vector<int>>>);
using scoped = std::scoped_allocator_adaptor<in_arena<arena_string>>;
static_assert(mallard::is_winkable_v<std::vector<arena_string, scoped>>);
static_assert(
    mallard::is_winkable_v<std::vector<
        arena_string, std::scoped_allocator_adaptor<in_arena<arena_string>, in_arena<char>>>>);
static_assert(mallard::is_winkable_v<std::vector<int, mallard::expandable_allocator<int>>>);
static_assert(mallard::is_winkable_v<std::list<int, mallard::adaptive_pool_allocator<int>>>);
// A make of this one would take nodes from the pool that all share.
template <class T, class... Args>
concept may_be_made =
    mallard::detail::gets_a_resource<T, arena, Args...>() && mallard::is_winkable_v<T>;
using pooled = std::list<int, mallard::adaptive_pool_allocator<int>>;
static_assert(!may_be_made<pooled> && may_be_made<pooled, mallard::adaptive_pool_resource*>);
static_assert(may_be_made<std::pmr::list<int>> && may_be_made<arena_string, const char*>);
static_assert(
    may_be_made<std::vector<int, mallard::thread_bound_allocator<int, arena>>>);  // says where from
// Elements that take their memory from elsewhere: the container's allocator does not reach them.
static_assert(!mallard::is_winkable_v<std::vector<std::pmr::string, in_arena<std::pmr::string>>>);
static_assert(!mallard::is_winkable_v<std::map<int, std::pmr::string, std::less<>,
                                               in_arena<std::pair<const int, std::pmr::string>>>>);
static_assert(!mallard::is_winkable_v<std::pmr::vector<pooled>>);
static_assert(!mallard::is_winkable_v<std::pmr::vector<std::tuple<int, pooled>>>);
static_assert(
    mallard::is_winkable_v<std::pmr::vector<arena_string>>);  // the program gives them one
// This keeps its resource alive.
static_assert(!mallard::is_winkable_v<std::vector<int, mallard::handle_allocator<int, arena>>>);
// These own memory of the global heap, or more than memory.
static_assert(!mallard::is_winkable_v<std::string>);
static_assert(!mallard::is_winkable_v<std::vector<int>>);
static_assert(!mallard::is_winkable_v<std::pmr::vector<std::string>>);
static_assert(!mallard::is_winkable_v<std::unique_ptr<int>>);
static_assert(!mallard::is_winkable_v<std::pmr::vector<std::shared_ptr<int>>>);
static_assert(!mallard::is_winkable_v<std::pmr::set<int, std::function<bool(int, int)>>>);
static_assert(
    !mallard::is_winkable_v<std::pmr::unordered_set<int, std::function<std::size_t(int)>>>);
static_assert(!mallard::is_winkable_v<std::optional<std::string>>);
static_assert(!mallard::is_winkable_v<std::variant<int, std::vector<int>>>);
static_assert(!mallard::is_winkable_v<std::tuple<std::pmr::string, std::string>>);
static_assert(!mallard::is_winkable_v<std::array<std::string, 2>>);
static_assert(!mallard::is_winkable_v<std::stack<int>>);
// A derived class may add anything.
struct named_numbers : std::pmr::vector<int> {
  std::string name;
};
struct counted_stack : std::stack<int, std::pmr::deque<int>> {
  std::shared_ptr<int> count;
};
template <class T>
struct named : std::pmr::vector<T> {
  std::string name;
};
template <class T>
struct numbered_stack : std::stack<T, std::pmr::deque<T>> {
  std::shared_ptr<int> count;
};
static_assert(!mallard::is_winkable_v<named_numbers> && !mallard::is_winkable_v<counted_stack>);
static_assert(!mallard::is_winkable_v<named<std::pmr::string>>);
static_assert(!mallard::is_winkable_v<named<int>> && !mallard::is_winkable_v<numbered_stack<int>>);
static_assert(!mallard::is_winkable_v<
              std::priority_queue<int, std::pmr::vector<int>, std::function<bool(int, int)>>>);
static_assert(
    !mallard::is_winkable_v<std::vector<int, std::scoped_allocator_adaptor<std::allocator<int>>>>);

TEST(wink_out, make_constructs_in_the_resource) {
  mallard::counting_resource counter;
  arena memory(&counter);
  auto* const numbers = mallard::make<std::vector<int, in_arena<int>>>(memory, 100u, 7, &memory);
  EXPECT_EQ(numbers->size(), 100u);
  EXPECT_EQ(numbers->get_allocator().resource(), &memory);
  EXPECT_GE(memory.stats().in_use_bytes, sizeof(*numbers) + 100 * sizeof(int));
}

// The default resource, to see whether anything comes from it.
class default_resource_is {
 public:
  explicit default_resource_is(std::pmr::memory_resource* r)
      : before_(std::pmr::set_default_resource(r)) {}
  ~default_resource_is() { std::pmr::set_default_resource(before_); }

 private:
  std::pmr::memory_resource* before_;
};

TEST(wink_out, make_gives_the_resource_to_whatever_takes_an_allocator) {
  const default_resource_is none(std::pmr::null_memory_resource());
  arena memory;
  auto* const by_base = mallard::make<std::pmr::vector<std::pmr::string>>(memory, 3u);
  by_base->front().assign(100, 'x');
  EXPECT_EQ(by_base->get_allocator().resource(), &memory);
  EXPECT_EQ(by_base->back().get_allocator().resource(), &memory);
  auto* const by_type = mallard::make<std::vector<int, in_arena<int>>>(memory);
  by_type->assign(100, 7);
  auto* const both = mallard::make<std::pair<const std::pmr::string, arena_string>>(
      memory, std::string(100, 'a'), std::string(100, 'b').c_str());
  EXPECT_EQ(both->first.get_allocator().resource(), &memory);
  EXPECT_EQ(both->second.get_allocator().resource(), &memory);
  auto* const all = mallard::make<std::tuple<std::pmr::string, int>>(memory);
  EXPECT_EQ(std::get<0>(*all).get_allocator().resource(), &memory);
  auto* const copy = mallard::make<std::pmr::vector<std::pmr::string>>(memory, *by_base);
  EXPECT_EQ(copy->get_allocator().resource(), &memory);
}

TEST(wink_out, make_takes_the_resource_by_base_too) {
  const default_resource_is none(std::pmr::null_memory_resource());
  arena memory;
  std::pmr::memory_resource& base = memory;
  EXPECT_EQ(mallard::make<std::pmr::string>(base, "abc")->get_allocator().resource(), &memory);
}

TEST(wink_out, destructors_never_run) {
  int runs = 0;
  {
    arena memory;
    const mallard::wink_scope scope(memory);
    for (int i = 0; i < 100; ++i) (void)mallard::make<telltale>(memory, &runs);
  }
  EXPECT_EQ(runs, 0);
}

TEST(wink_out, elements_of_a_container_are_not_destroyed_either) {
  int runs = 0;
  {
    mallard::multipool_resource memory;
    const mallard::wink_scope scope(memory);
    using list = std::list<telltale, mallard::allocator<telltale, mallard::multipool_resource>>;
    list* const telltales = mallard::make<list>(memory, &memory);
    for (int i = 0; i < 100; ++i) telltales->emplace_back(&runs);
  }
  EXPECT_EQ(runs, 0);
}

TEST(wink_out, the_scope_gives_all_memory_back) {
  mallard::test_resource upstream;
  arena memory(&upstream);
  {
    const mallard::wink_scope scope(memory);
    auto* const names = mallard::make<std::pmr::vector<std::pmr::string>>(
        memory, std::pmr::polymorphic_allocator<>(&memory));
    for (std::size_t i = 0; i < 100; ++i) names->emplace_back(i, 'x');
    EXPECT_GT(upstream.counts().in_use_bytes, 0u);
  }
  EXPECT_EQ(upstream.counts().in_use_bytes, 0u);
  (void)memory.allocate(1);  // usable again
}

TEST(wink_out, a_throwing_constructor_gives_its_memory_back) {
  mallard::counting_resource memory;
  EXPECT_THROW((void)mallard::make<failing_constructor>(memory), std::runtime_error);
  EXPECT_EQ(memory.counts().allocations, 1u);
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(wink_out, make_aligns) {
  struct alignas(128) wide {
    char bytes[128];
  };
  arena memory;
  (void)memory.allocate(1, 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mallard::make<wide>(memory)) % 128, 0u);
}

}  // namespace
