// Boost's containers on our allocators, compared with std's operation by operation.
#include <gtest/gtest.h>

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <boost/container/list.hpp>
#include <boost/container/map.hpp>
#include <boost/container/set.hpp>
#include <boost/container/slist.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/container/stable_vector.hpp>
#include <boost/container/string.hpp>
#include <boost/container/vector.hpp>
#include <cstdint>
#include <list>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "mallard/adaptive_pool_allocator.hpp"
#include "mallard/allocator.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/expandable_allocator.hpp"
#include "mallard/winkable.hpp"
#include "support/seeds.hpp"

namespace {

namespace bc = boost::container;
using mallard::expandable_allocator;
using mallard::heap_resource;

// Whose allocator is in the argument of another argument.
template <class T>
using in_heap = mallard::allocator<T, heap_resource>;
static_assert(mallard::is_winkable_v<bc::vector<int, in_heap<int>>>);
static_assert(mallard::is_winkable_v<bc::small_vector<int, 4, in_heap<int>>>);
static_assert(
    mallard::is_winkable_v<bc::flat_set<int, std::less<int>, std::vector<int, in_heap<int>>>>);
static_assert(!mallard::is_winkable_v<bc::flat_set<int, std::less<int>, std::vector<int>>>);

struct alignas(64) wide {
  int value;
  explicit wide(int v) : value(v) {}
  friend bool operator==(const wide& a, const wide& b) { return a.value == b.value; }
};

template <class T>
T make(unsigned n) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(n % 60, static_cast<char>('a' + n % 26));
  } else {
    return T(static_cast<int>(n));
  }
}

template <class Ours, class Theirs>
void expect_same(const Ours& ours, const Theirs& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  ASSERT_TRUE(std::equal(ours.begin(), ours.end(), theirs.begin()));
}

// Everything that makes an array grow, shrink or move.
template <class Ours, class T>
void run_sequence_program(std::uint64_t seed, heap_resource& heap) {
  std::mt19937 engine(static_cast<std::uint32_t>(seed));
  const auto random = [&](std::size_t below) { return static_cast<unsigned>(engine() % below); };
  Ours ours(&heap);
  std::vector<T> theirs;
  for (int step = 0; step < 2000; ++step) {
    const auto at = static_cast<std::ptrdiff_t>(random(theirs.size() + 1));
    const T value = make<T>(random(1000));
    switch (random(10)) {
      case 0:
      case 1:
      case 2:
        ours.push_back(value);
        theirs.push_back(value);
        break;
      case 3:
        ours.insert(ours.begin() + at, value);
        theirs.insert(theirs.begin() + at, value);
        break;
      case 4: {
        const std::vector<T> more(random(50), value);
        ours.insert(ours.begin() + at, more.begin(), more.end());
        theirs.insert(theirs.begin() + at, more.begin(), more.end());
        break;
      }
      case 5: {
        const std::ptrdiff_t count =
            std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(random(40)),
                                     static_cast<std::ptrdiff_t>(theirs.size()) - at);
        ours.erase(ours.begin() + at, ours.begin() + at + count);
        theirs.erase(theirs.begin() + at, theirs.begin() + at + count);
        break;
      }
      case 6:
        if (random(4) == 0) ours.shrink_to_fit();
        break;
      case 7:
        ours.reserve(ours.size() + random(200));
        break;
      case 8:
        if (random(20) == 0) {
          ours.clear();
          theirs.clear();
        }
        break;
      default: {
        Ours copy(ours, expandable_allocator<T>(&heap));
        ours = std::move(copy);
        theirs = std::vector<T>(theirs);
        if (random(3) == 0) {
          ours.assign(theirs.begin(), theirs.end());
        }
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(ours, theirs));
  }
}

template <class T>
void run_sequences() {
  for (const std::uint64_t seed : mallard_test::test_seeds(4)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    heap_resource heap;
    run_sequence_program<bc::vector<T, expandable_allocator<T>>, T>(seed, heap);
    run_sequence_program<bc::stable_vector<T, expandable_allocator<T>>, T>(seed, heap);
    EXPECT_EQ(heap.stats().in_use_bytes, 0u);
  }
}

TEST(boost_containers, sequences_of_ints_behave_as_std_vector) {
  run_sequences<int>();
}
TEST(boost_containers, sequences_of_strings_behave_as_std_vector) {
  run_sequences<std::string>();
}
TEST(boost_containers, sequences_of_over_aligned_objects_behave_as_std_vector) {
  run_sequences<wide>();
}

TEST(boost_containers, strings_behave_as_std_string) {
  for (const std::uint64_t seed : mallard_test::test_seeds(4)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    heap_resource heap;
    {
      bc::basic_string<char, std::char_traits<char>, expandable_allocator<char>> ours(&heap);
      std::string theirs;
      for (int step = 0; step < 3000; ++step) {
        const auto c = static_cast<char>('a' + random() % 26);
        switch (random() % 6) {
          case 0:
          case 1:
            ours.push_back(c);
            theirs.push_back(c);
            break;
          case 2: {
            const std::string more(random() % 40, c);
            const std::size_t at = random() % (theirs.size() + 1);
            ours.insert(ours.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
            theirs.insert(at, more);
            break;
          }
          case 3: {
            const std::size_t at = random() % (theirs.size() + 1);
            const std::size_t count = random() % 30;
            ours.erase(at, count);
            theirs.erase(at, count);
            break;
          }
          case 4:
            if (random() % 5 == 0) ours.shrink_to_fit();
            break;
          default:
            ours.reserve(random() % 2000);
        }
        ASSERT_TRUE(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
      }
    }
    EXPECT_EQ(heap.stats().in_use_bytes, 0u);
  }
}

template <class Ours>
void run_list_program_on(std::uint64_t seed, const typename Ours::allocator_type& nodes) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  {
    Ours ours(nodes);
    std::list<int> theirs;
    for (int step = 0; step < 1500; ++step) {
      const auto value = static_cast<int>(random() % 100);
      switch (random() % 7) {
        case 0:
        case 1:
          ours.push_front(value);
          theirs.push_front(value);
          break;
        case 2: {
          const std::vector<int> more(random() % 60, value);
          ours.insert(ours.begin(), more.begin(), more.end());
          theirs.insert(theirs.begin(), more.begin(), more.end());
          break;
        }
        case 3: {
          const auto count = static_cast<std::ptrdiff_t>(random() % (theirs.size() + 1) / 2);
          ours.erase(ours.begin(), std::next(ours.begin(), count));
          theirs.erase(theirs.begin(), std::next(theirs.begin(), count));
          break;
        }
        case 4:
          ours.remove(value);
          theirs.remove(value);
          break;
        case 5: {
          Ours other(ours, nodes);
          ours.splice(ours.begin(), other);
          theirs.insert(theirs.begin(), theirs.begin(), theirs.end());
          if (theirs.size() > 3000) {
            ours.clear();
            theirs.clear();
          }
          break;
        }
        default:
          ours.resize(theirs.size() + 5, value);
          theirs.resize(theirs.size() + 5, value);
      }
      ASSERT_TRUE(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
    }
  }
}

template <class Ours>
void run_list_program(std::uint64_t seed) {
  heap_resource heap;
  run_list_program_on<Ours>(seed, expandable_allocator<int>(&heap));
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(boost_containers, lists_of_pool_nodes_behave_as_std_list) {
  for (const std::uint64_t seed : mallard_test::test_seeds(3)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    mallard::adaptive_pool_resource pool(mallard::adaptive_pool_allocator<int>::options());
    using ours = bc::list<int, mallard::adaptive_pool_allocator<int>>;
    run_list_program_on<ours>(seed, mallard::adaptive_pool_allocator<int>(&pool));
    EXPECT_EQ(pool.stats().in_use_blocks, 0u);
  }
}

TEST(boost_containers, lists_behave_as_std_list) {
  for (const std::uint64_t seed : mallard_test::test_seeds(3)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    run_list_program<bc::list<int, expandable_allocator<int>>>(seed);
  }
}

template <class Ours>
void run_set_program(std::uint64_t seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  heap_resource heap;
  {
    Ours ours(&heap);
    std::set<int> theirs;
    for (int step = 0; step < 4000; ++step) {
      const auto key = static_cast<int>(random() % 2000);
      if (random() % 3 != 0) {
        ours.insert(key);
        theirs.insert(key);
      } else {
        ours.erase(key);
        theirs.erase(key);
      }
      if (step % 500 == 0) {
        std::vector<int> more;
        for (int i = 0; i < 100; ++i) more.push_back(static_cast<int>(random() % 5000));
        ours.insert(more.begin(), more.end());
        theirs.insert(more.begin(), more.end());
        Ours copy(ours, expandable_allocator<int>(&heap));
        ASSERT_TRUE(std::equal(copy.begin(), copy.end(), theirs.begin(), theirs.end()));
      }
    }
    ASSERT_TRUE(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(boost_containers, sets_behave_as_std_set) {
  for (const std::uint64_t seed : mallard_test::test_seeds(3)) {
    SCOPED_TRACE(mallard_test::reproduce_with(seed));
    run_set_program<bc::set<int, std::less<int>, expandable_allocator<int>>>(seed);
    run_set_program<bc::flat_set<int, std::less<int>, expandable_allocator<int>>>(seed);
  }
}

TEST(boost_containers, maps_and_single_lists_use_it_too) {
  heap_resource heap;
  {
    using pair = std::pair<const int, std::string>;
    bc::map<int, std::string, std::less<int>, expandable_allocator<pair>> map(&heap);
    bc::slist<int, expandable_allocator<int>> slist(&heap);
    for (int i = 0; i < 1000; ++i) map[i * 37 % 1009] = std::string(50, 'x');
    slist.insert(slist.begin(), 500, 3);
    slist.erase_after(slist.begin(), std::next(slist.begin(), 100));
    EXPECT_EQ(map.size(), 1000u);
    EXPECT_EQ(slist.size(), 401u);
  }
  EXPECT_EQ(heap.stats().in_use_bytes, 0u);
}

TEST(boost_containers, a_vector_alone_in_its_heap_is_never_moved) {
  heap_resource heap;
  bc::vector<int, expandable_allocator<int>> v(&heap);
  v.push_back(0);
  const int* const where = v.data();
  for (int i = 1; i < 1'000'000; ++i) v.push_back(i);
  EXPECT_EQ(v.data(), where);
}

struct explosive {
  static inline int left = 0;
  explosive() = default;
  explosive(const explosive&) {
    if (--left == 0) throw 1;
  }
};

// Boost's list loses the node whose element could not be made; the heap takes it back all the same.
TEST(boost_containers, what_a_container_loses_goes_back_with_the_heap) {
  mallard::test_resource upstream;
  heap_resource heap(&upstream);
  {
    bc::list<explosive, expandable_allocator<explosive>> list(&heap);
    explosive::left = 50;
    EXPECT_THROW(list.insert(list.end(), 100, explosive()), int);
    EXPECT_LT(list.size(), 100u);
  }
  EXPECT_LE(heap.stats().in_use_bytes, 64u);
  heap.release();
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

TEST(boost_containers, a_range_of_nodes_is_one_burst) {
  heap_resource heap;
  bc::list<int, expandable_allocator<int>> list(&heap);
  list.insert(list.end(), 1000, 7);
  int backward = 0;
  const int* last = nullptr;
  for (const int& value : list) {
    if (last != nullptr && &value < last) ++backward;
    last = &value;
  }
  EXPECT_LE(backward, 2);
}

}  // namespace
