// The walk has to find what the C++ runtime's own unwinder finds, address by address and frame by
// frame, whatever functions look like and whatever was on the stack before.
#include "preload/stack_walk.hpp"

#include <alloca.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "recorder/preload/hook.hpp"
#include "support/seeds.hpp"

namespace {

using namespace mallard::recorder;
using namespace mallard::unwind;

struct call {
  std::uint64_t ip;
  std::uint64_t frame_address;
};

// As the thread's log numbers frames, but with everything to look at.
struct node_list {
  struct entry {
    std::uint32_t parent;
    call frame;
  };
  std::vector<entry> nodes{{}};

  std::map<std::uint64_t, std::uint32_t> keys;

  std::uint32_t find(std::uint64_t key) const {
    const auto found = keys.find(key);
    return found == keys.end() ? 0 : found->second;
  }
  std::uint32_t add(std::uint64_t key, std::uint32_t parent, std::uint64_t ip,
                    std::uint64_t frame_address) {
    nodes.push_back({parent, {ip, frame_address}});
    return keys[key] = static_cast<std::uint32_t>(nodes.size() - 1);
  }
  std::vector<call> stack(std::uint32_t id) const {
    std::vector<call> out;
    for (; id != 0; id = nodes[id].parent) out.push_back(nodes[id].frame);
    return out;
  }
};

// Innermost first, from the caller of the function that calls this on.
std::vector<call> by_runtime() {
  std::vector<call> out;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* to) {
        static_cast<std::vector<call>*>(to)->push_back(
            {_Unwind_GetIP(context), _Unwind_GetCFA(context)});
        return _URC_NO_REASON;
      },
      &out);
  return out;
}

class walker {
 public:
  explicit walker(std::uint32_t checked = 1024) {
    EXPECT_TRUE(rules_.open());
    walk_->open(rules_, false, checked);
  }

  // Compares from the caller of the caller on.
  void compare(const frame_state& from, bool long_ago = true) {
    const std::vector<call> found = nodes_.stack(walk_->node_of(from, false, long_ago, nodes_));
    const std::vector<call> all = by_runtime();
    // The runtime's frame address of a frame is that of its callee's end: where ours begins.
    std::size_t first = 0;
    while (first < all.size() && all[first].ip != from.ip) ++first;
    ASSERT_LT(first, all.size());
    std::vector<call> wanted(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    // Past the outermost function there may be a frame that nobody called.
    while (!wanted.empty() && wanted.back().ip == 0) wanted.pop_back();
    ASSERT_GE(found.size(), 3U);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(found[i].ip, wanted[i].ip) << "frame " << i;
      // _Unwind_GetCFA gives the stack pointer in the frame, where the one inside ends. That is its
      // frame address on x86-64; on aarch64 this is anywhere in a frame, and of a signal's frame
      // the runtime says something else.
      if (i + 1 == wanted.size()) continue;
#if defined(__aarch64__)
      EXPECT_GE(found[i].frame_address, wanted[i].frame_address) << "frame " << i;
      if (find_frame_rule(found[i].ip - 1).how != frame_rule::address::signal) {
        EXPECT_LE(found[i].frame_address, wanted[i + 1].frame_address) << "frame " << i;
      }
#else
      EXPECT_EQ(found[i].frame_address, wanted[i + 1].frame_address) << "frame " << i;
#endif
    }
    ++comparisons;
  }

  int comparisons = 0;

 private:
  rule_cache rules_;
  std::unique_ptr<stack_walk> walk_ = std::make_unique<stack_walk>();
  node_list nodes_;
};

// Stands for an entry point.
[[gnu::noinline]] void event(walker& here, bool long_ago = true) {
  here.compare(MALLARD_CALLER(), long_ago);
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] void with_variable_frame(walker& here, std::size_t bytes) {
  char* const some = static_cast<char*>(alloca(bytes));
  std::memset(some, 1, bytes);
  event(here);
  asm volatile("" ::"r"(some) : "memory");
}

struct alignas(64) wide {
  unsigned char bytes[192];
};
[[gnu::noinline]] void with_aligned_frame(walker& here) {
  wide some{};
  asm volatile("" ::"r"(&some) : "memory");
  event(here);
  asm volatile("" ::"r"(&some) : "memory");
}

[[gnu::noinline]] void recursive(walker& here, unsigned depth) {
  event(here);
  if (depth != 0) recursive(here, depth - 1);
  event(here);
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] void throwing(walker& here, unsigned depth) {
  event(here);
  if (depth == 0) throw 1;
  throwing(here, depth - 1);
  asm volatile("" ::: "memory");
}

TEST(stack_walk, finds_ordinary_frames) {
  walker here;
  for (int i = 0; i < 3; ++i) event(here);
  EXPECT_EQ(here.comparisons, 3);
}

TEST(stack_walk, finds_frames_of_any_size_and_alignment) {
  walker here;
  for (const std::size_t bytes : {16U, 100U, 5000U, 100U, 16U, 60'000U}) {
    with_variable_frame(here, bytes);
    with_aligned_frame(here);
  }
  EXPECT_EQ(here.comparisons, 12);
}

TEST(stack_walk, goes_through_functions_of_the_c_library) {
  walker here;
  static walker* current;
  current = &here;
  int numbers[] = {3, 1, 2};
  for (int i = 0; i < 2; ++i) {
    qsort(numbers, 3, sizeof(int), [](const void* a, const void* b) {
      event(*current);
      return *static_cast<const int*>(a) - *static_cast<const int*>(b);
    });
  }
  EXPECT_GT(here.comparisons, 2);
}

TEST(stack_walk, follows_recursion_down_and_up) {
  walker here;
  recursive(here, 300);
  recursive(here, 20);
  EXPECT_EQ(here.comparisons, 2 * 301 + 2 * 21);
}

TEST(stack_walk, forgets_what_an_exception_has_left) {
  walker here;
  for (unsigned depth : {1U, 10U, 3U}) {
    try {
      throwing(here, depth);
    } catch (int) {
    }
    event(here);
  }
  EXPECT_EQ(here.comparisons, 2 + 11 + 4 + 3);
}

// Frames that are alike in everything but who called them, far outside.
[[gnu::noinline]] void deep(walker& here, unsigned depth) {
  if (depth == 0) {
    event(here);
  } else {
    deep(here, depth - 1);
  }
  asm volatile("" ::: "memory");
}

TEST(stack_walk, looks_at_every_frame_when_time_has_passed) {
  walker here(8);
  deep(here, 50);
  deep(here, 50);
  for (int i = 0; i < 3; ++i) deep(here, 50);
  EXPECT_EQ(here.comparisons, 5);
}

// Calls of many shapes in any order: what was cached is never to be believed wrongly.
[[gnu::noinline]] void any(walker& here, std::uint64_t& random, unsigned depth) {
  for (int i = 0; i < 3; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    switch (random >> 61) {
      case 0:
        event(here);
        break;
      case 1:
        with_variable_frame(here, 16 + (random >> 50) % 500);
        break;
      case 2:
        with_aligned_frame(here);
        break;
      case 3:
        event(here);
        break;
      default:
        if (depth != 0) any(here, random, depth - 1);
    }
  }
  asm volatile("" ::: "memory");
}

TEST(stack_walk, is_right_after_any_calls) {
  for (std::uint64_t seed : mallard_test::test_seeds(10)) {
    walker here;
    for (int i = 0; i < 20; ++i) any(here, seed, 6);
    EXPECT_GT(here.comparisons, 20);
  }
}

[[gnu::noinline]] void on_another_stack(walker& here) {
  static walker* current;
  static ucontext_t back;
  static ucontext_t other;
  static std::vector<char> stack(256 << 10);
  current = &here;
  getcontext(&other);
  other.uc_stack.ss_sp = stack.data();
  other.uc_stack.ss_size = stack.size();
  other.uc_link = &back;
  makecontext(&other, +[] { recursive(*current, 3); }, 0);
  swapcontext(&back, &other);
}

TEST(stack_walk, works_on_other_stacks_and_back) {
  walker here;
  for (int i = 0; i < 3; ++i) {
    event(here);
    on_another_stack(here);
    event(here);
  }
  EXPECT_EQ(here.comparisons, 3 * (2 + 8));
}

TEST(stack_walk, goes_from_a_signal_handler_to_what_was_interrupted) {
  walker here;
  static walker* current;
  current = &here;
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = [](int) { event(*current); };
  sigaction(SIGUSR1, &action, &before);
  for (int i = 0; i < 3; ++i) {
    raise(SIGUSR1);
    event(here);
  }
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(here.comparisons, 6);
}

// It calls nothing, so it may have no frame, and its return address be in a register.
[[gnu::noinline]] int reading(const volatile int* from) {
  return *from;
}

TEST(stack_walk, goes_from_a_signal_handler_to_a_function_that_calls_nothing) {
  walker here;
  static walker* current;
  static void* page;
  current = &here;
  constexpr std::size_t bytes = 4096;
  page = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = [](int) {
    event(*current);
    mprotect(page, bytes, PROT_READ);
  };
  sigaction(SIGSEGV, &action, &before);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reading(static_cast<const int*>(page)), 0);
    mprotect(page, bytes, PROT_NONE);
    event(here);
  }
  sigaction(SIGSEGV, &before, nullptr);
  munmap(page, bytes);
  EXPECT_EQ(here.comparisons, 6);
}

#if defined(__aarch64__)
[[gnu::noinline, gnu::target("branch-protection=pac-ret+leaf")]] void with_signed_address(
    walker& here, int depth) {
  event(here);
  if (depth != 0) with_signed_address(here, depth - 1);
  event(here);
}

TEST(stack_walk, finds_frames_whose_return_addresses_are_signed) {
  walker here;
  for (int i = 0; i < 2; ++i) with_signed_address(here, 3);
  EXPECT_EQ(here.comparisons, 16);
}
#endif

TEST(stack_walk, of_a_stack_that_is_too_deep_keeps_what_is_inside) {
  rule_cache rules;
  ASSERT_TRUE(rules.open());
  const auto walk = std::make_unique<stack_walk>();
  walk->open(rules, false, 24);
  static node_list* nodes;
  static stack_walk* walks;
  node_list list;
  nodes = &list;
  walks = walk.get();
  struct deep_calls {
    [[gnu::noinline]] static void go(unsigned depth) {
      if (depth == 0) {
        const std::uint32_t id = walks->node_of(MALLARD_CALLER(), false, true, *nodes);
        EXPECT_EQ(nodes->stack(id).size(), stack_walk::frames_of_cut);
      } else {
        go(depth - 1);
      }
      asm volatile("" ::: "memory");
    }
  };
  deep_calls::go(3000);
}

}  // namespace
