// The kernels of the series benches: what they do to the memory, and that every strategy of every
// library does the same.
#include <gtest/gtest.h>

#include <memory_resource>
#include <new>
#include <numeric>
#include <set>

#include "lab/kernels/family_mallard.hpp"
#include "lab/kernels/family_std.hpp"
#include "lab/kernels/series_kernels.hpp"
#include "lab/measuring/peers.hpp"

namespace mallard::lab {
namespace {

std::vector<column> all_columns() {
  std::vector<std::string> strategies;
  for (const strategy& one : all_strategies()) strategies.emplace_back(one.name);
  strategies.insert(strategies.end(), {"sync", "mutex"});
  std::vector<std::string> peers;
  for (const auto& peer : available_peers()) peers.push_back(peer.name);
  std::vector<column> columns = {{"AS1", "global"}, {"AS2", "global"}};
  for (const std::string& peer : peers) {
    for (const std::string& name : strategies) columns.push_back({name, peer});
  }
  return columns;
}

// The checksums that all kernels of the columns leave, and how many kernels there are.
template <class Work, class Find>
std::pair<std::set<std::uint64_t>, std::size_t> run_all(const Work& work, const Find& find) {
  std::set<std::uint64_t> checksums;
  std::size_t kernels = 0;
  for (const column& where : all_columns()) {
    const kernel_of<Work> run = find(where);
    if (!run) continue;
    readings taken;
    run(work, taken);
    for (const reading& one : taken.all()) {
      EXPECT_GE(one.value, 0) << where.strategy << '@' << where.peer << ' ' << one.what();
    }
    checksums.insert(taken.checksum);
    ++kernels;
  }
  return {checksums, kernels};
}

// AS1 and AS2, then six strategies of each library.
std::size_t usual_columns() {
  return 2 + 6 * available_peers().size();
}

double value_of(const readings& taken, std::string_view name) {
  EXPECT_TRUE(taken.has(name)) << name;
  return taken.value_of(name);
}

using pooled = direct_arena<mallard_family, mechanism::multipool>;

class wandering_test : public testing::TestWithParam<wandering> {
 protected:
  wandering_test() : all_(work_.lists) {
    work_.how = GetParam();
    create(all_, work_);
  }
  std::uint64_t count_links() const {
    std::uint64_t links = 0;
    for (const auto& one : all_) links += one->list.size();
    return links;
  }
  std::int64_t sum() const {
    std::int64_t total = 0;
    for (const auto& one : all_) {
      total = std::accumulate(one->list.begin(), one->list.end(), total);
    }
    return total;
  }

  locality_work work_{.lists = 16,
                      .links_per_list = 10,
                      .steps_per_list = 25,
                      .repeats = 3,
                      .moves = 16 * 10 * 5,
                      .seed = 1,
                      .how = wandering::code};
  subsystems<pooled> all_;
};

TEST_P(wandering_test, starts_with_full_lists_of_counted_links) {
  EXPECT_EQ(count_links(), 160U);
  EXPECT_EQ(sum(), 16 * 45);
  for (const auto& one : all_) EXPECT_EQ(one->list.size(), 10U);
}

TEST_P(wandering_test, shuffling_loses_no_link_and_leaves_lists_of_different_lengths) {
  shuffle_links(all_, work_);
  EXPECT_EQ(count_links(), 160U);
  std::set<std::size_t> lengths;
  for (const auto& one : all_) lengths.insert(one->list.size());
  EXPECT_GT(lengths.size(), 1U);
  // Values wander in the slides; code and paper push new ones, five times as many as there are.
  if (GetParam() == wandering::slides) {
    EXPECT_EQ(sum(), 16 * 45);
  } else {
    EXPECT_LT(sum(), 0);
  }
}

TEST_P(wandering_test, same_seed_same_content_another_seed_another) {
  shuffle_links(all_, work_);
  subsystems<pooled> again(work_.lists);
  create(again, work_);
  shuffle_links(again, work_);
  EXPECT_EQ(content_of(all_), content_of(again));
  shuffle_links(again, work_);
  EXPECT_NE(content_of(all_), content_of(again));
}

TEST_P(wandering_test, walking_increments_once_per_step) {
  const itinerary<pooled> turns(all_);
  EXPECT_EQ(walk(turns.turns, work_), 16U * 25U * 3U);
  EXPECT_EQ(sum(), 16 * 45 + 16 * 25 * 3);
  // 25 steps over 10 links: the first half of a list is met three times, the rest twice.
  EXPECT_EQ(all_[0]->list.front(), 0 + 3 * 3);
  EXPECT_EQ(all_[0]->list.back(), 9 + 2 * 3);
}

TEST_P(wandering_test, turns_of_empty_lists_go_to_others_so_that_steps_stay_the_same) {
  for (std::size_t i = 0; i < all_.size(); i += 2) all_[i]->list.clear();
  const itinerary<pooled> turns(all_);
  EXPECT_EQ(turns.empty_lists, 8U);
  EXPECT_EQ(turns.turns.size(), 16U);
  for (const auto* list : turns.turns) EXPECT_FALSE(list->empty());
  EXPECT_NE(turns.turns[0], turns.turns[1]);  // not the one that comes next anyway
  EXPECT_EQ(walk(turns.turns, work_), 16U * 25U * 3U);
}

TEST_P(wandering_test, every_strategy_has_the_same_lists) {
  const auto [checksums, kernels] = run_all(work_, find_locality_kernel);
  EXPECT_EQ(kernels, usual_columns());
  EXPECT_EQ(checksums.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(AllVariants, wandering_test,
                         testing::Values(wandering::code, wandering::paper, wandering::slides),
                         [](const auto& param) {
                           return "variant" + std::to_string(static_cast<int>(param.param));
                         });

TEST(locality, single_links_leave_more_than_a_third_of_the_lists_empty) {
  locality_work work{.lists = 20000,
                     .links_per_list = 1,
                     .steps_per_list = 2,
                     .repeats = 1,
                     .moves = 5 * 20000,
                     .seed = 1,
                     .how = wandering::code};
  readings taken;
  run_locality<global_arena>(work, taken);
  // 35.6 % in the original's program.
  EXPECT_NEAR(value_of(taken, "empty_share"), 0.356, 0.03);
  EXPECT_EQ(value_of(taken, "steps"), 40000);
}

// Gives out blocks and remembers what is in use.
class recording_heap {
 public:
  explicit recording_heap(std::size_t fails_after = ~std::size_t{0}) : left_(fails_after) {}
  void* allocate(std::size_t bytes, std::size_t) {
    if (left_-- == 0) throw std::bad_alloc();
    void* block = ::operator new(bytes);
    *static_cast<unsigned char*>(block) = 7;
    in_use.push_back(block);
    most = std::max(most, in_use.size());
    ++allocated;
    return block;
  }
  void deallocate(void* block, std::size_t, std::size_t) {
    EXPECT_EQ(block, in_use.front()) << "not the oldest";
    EXPECT_EQ(*static_cast<unsigned char*>(block), 8) << "not incremented once";
    in_use.erase(in_use.begin());
    ::operator delete(block);
  }

  std::vector<void*> in_use;
  std::size_t most = 0;
  std::size_t allocated = 0;

 private:
  std::size_t left_;
};

TEST(utilization, never_more_than_the_active_blocks_are_in_use_and_the_oldest_goes_first) {
  recording_heap heap;
  std::vector<void*> slots(4);
  EXPECT_EQ(cycle_blocks(&heap, slots, {.blocks = 16, .active_blocks = 4, .block_bytes = 64}), 16U);
  EXPECT_EQ(heap.allocated, 16U);
  EXPECT_EQ(heap.most, 4U);
  EXPECT_TRUE(heap.in_use.empty());
}

TEST(utilization, what_is_in_use_when_memory_runs_out_is_still_known) {
  recording_heap heap(6);
  std::vector<void*> slots(4);
  EXPECT_THROW(cycle_blocks(&heap, slots, {.blocks = 16, .active_blocks = 4, .block_bytes = 64}),
               std::bad_alloc);
  EXPECT_EQ(std::count(slots.begin(), slots.end(), nullptr), 1);
  for (void* block : heap.in_use) ::operator delete(block);
}

TEST(utilization, every_strategy_takes_and_gives_as_many) {
  const utilization_work work{.blocks = 1024, .active_blocks = 32, .block_bytes = 1024};
  const auto [checksums, kernels] = run_all(work, find_utilization_kernel);
  EXPECT_EQ(kernels, usual_columns());
  EXPECT_EQ(checksums, std::set<std::uint64_t>{1024});
}

TEST(contention, every_strategy_makes_all_iterations_of_all_threads) {
  const contention_work work{.iterations = 1000, .block_bytes = 64, .rounds = 3, .threads = 4};
  const auto find = [](sharing form) {
    return [form](const column& where) { return find_contention_kernel(where, form); };
  };
  const std::uint64_t all = 4 * (3 * 1000 + warm_up_pairs);
  auto [checksums, kernels] = run_all(work, find(sharing::own));
  EXPECT_EQ(kernels, usual_columns());
  EXPECT_EQ(checksums, std::set<std::uint64_t>{all});

  std::tie(checksums, kernels) = run_all(work, find(sharing::shared));
  EXPECT_EQ(kernels, 1 + available_peers().size() + 1);  // AS1, sync of each, mutex
  EXPECT_EQ(checksums, std::set<std::uint64_t>{all});

  std::tie(checksums, kernels) = run_all(work, find(sharing::handoff));
  EXPECT_EQ(kernels, 1 + available_peers().size() + 1);
  EXPECT_EQ(checksums, std::set<std::uint64_t>{2 * 3 * 1000});  // what the consumers freed
}

// An arena that can be shared, and that has only so many blocks.
struct scarce_arena {
  struct scarce_heap {
    std::atomic<int> left{100 + 2 * static_cast<int>(warm_up_pairs)};
    void* allocate(std::size_t bytes, std::size_t) {
      if (left-- <= 0) throw std::bad_alloc();
      return ::operator new(bytes);
    }
    void deallocate(void* block, std::size_t, std::size_t) { ::operator delete(block); }
  };
  scarce_heap* heap() { return &heap_; }
  scarce_heap heap_;
};

TEST(contention, producer_that_runs_out_of_memory_does_not_leave_its_consumer_waiting) {
  readings taken;
  const contention_work work{.iterations = 1000, .block_bytes = 64, .rounds = 1, .threads = 2};
  EXPECT_THROW(run_handoff<scarce_arena>(work, taken), std::bad_alloc);
  EXPECT_THROW(run_shared<scarce_arena>(work, taken), std::bad_alloc);
}

TEST(false_sharing, every_form_and_strategy_counts_the_same) {
  const false_sharing_work work{.increments = 1 << 20, .threads = 3, .seed = 1};
  std::uint64_t odd = 0;
  for (const int one : make_matrix(1)) odd += static_cast<std::uint64_t>(one % 2 != 0);
  EXPECT_NEAR(static_cast<double>(odd), 512 * 512 / 2.0, 512 * 5);

  const auto run = [&](placement form) {
    return run_all(work,
                   [form](const column& where) { return find_false_sharing_kernel(where, form); });
  };
  const std::size_t peers = available_peers().size();
  const std::pair<placement, std::size_t> counters[] = {{placement::shared_array, 1},
                                                        {placement::local_variable, 1},
                                                        {placement::arena_per_thread, 2 * peers}};
  for (const auto& [form, columns] : counters) {
    const auto [checksums, kernels] = run(form);
    EXPECT_EQ(kernels, columns) << static_cast<int>(form);
    EXPECT_EQ(checksums, std::set<std::uint64_t>{odd * 4}) << static_cast<int>(form);
  }
  // As many as all objects of all threads get in whole rounds.
  const std::uint64_t rounds = (1 << 20) / objects_per_thread / 3;
  const std::set<std::uint64_t> expected = {rounds * objects_per_thread * 3};
  EXPECT_EQ(run(placement::objects_of_one_allocator), std::pair(expected, 1 + 2 * peers));
  EXPECT_EQ(run(placement::objects_of_own_arenas), std::pair(expected, 2 * peers));
}

// The forms differ in this: the distance between the counters of two threads.
TEST(false_sharing, arenas_of_their_own_keep_threads_on_cache_lines_of_their_own) {
  const auto distance = [](void* a, void* b) {
    return std::abs(static_cast<char*>(a) - static_cast<char*>(b));
  };
  pooled one;
  pooled other;
  void* first = one.heap()->allocate(8, 8);
  EXPECT_LT(distance(first, one.heap()->allocate(8, 8)), 64);
  EXPECT_GE(distance(first, other.heap()->allocate(8, 8)), 64);
}

TEST(kernels, no_series_has_winked_out_strategies_or_unknown_peers) {
  for (const char* name : {"AS4", "AS6", "AS8", "AS10", "AS12", "AS14", "AS3n", "AS99", ""}) {
    EXPECT_FALSE(find_locality_kernel({name, "mallard"})) << name;
    EXPECT_FALSE(find_contention_kernel({name, "std"}, sharing::own)) << name;
  }
  EXPECT_FALSE(find_utilization_kernel({"AS3", "global"}));
  EXPECT_FALSE(find_utilization_kernel({"AS1", "std"}));
  EXPECT_FALSE(find_utilization_kernel({"AS3", "nobody"}));
  EXPECT_FALSE(find_contention_kernel({"mutex", "std"}, sharing::shared));
}

}  // namespace
}  // namespace mallard::lab
