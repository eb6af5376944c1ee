// Calls that stand still at any of their instructions while other threads do theirs: blocks on
// their way, heaps that begin and end, slices that go back to the system.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "malloc/scope.hpp"
#include "malloc/slow_path.hpp"
#include "malloc/stepped_engine.hpp"
#include "malloc/system_stand_in.hpp"
#include "malloc/usage.hpp"
#include "malloc/user_heap.hpp"
#include "support/expect_passed.hpp"
#include "support/forked.hpp"
#include "support/interrupted_call.hpp"
#include "support/seeds.hpp"

namespace {

namespace detail = mallard::detail;
using mallard_test::choices;
using mallard_test::require;
using mallard_test::stepped_threads;
using malloc_test::have_heap;

// Blocks of one size. Allocating and freeing them is nothing but calls of the engine.
class pile {
 public:
  pile(std::size_t count, std::size_t bytes) : blocks_(count), words_(bytes / sizeof(void*)) {}

  // As many as there are not yet, or fewer.
  void allocate(std::size_t count = ~std::size_t{0}) {
    for (void*& p : blocks_) {
      if (p == nullptr && count-- == 0) return;
      if (p == nullptr) p = detail::allocate(bytes());
    }
  }
  void allocate_from(detail::user_heap& heap) {
    for (void*& p : blocks_) p = heap.allocate(bytes(), 1);
  }
  void free(std::size_t count = ~std::size_t{0}) {
    for (void*& p : blocks_) {
      if (count-- == 0) return;
      detail::deallocate(std::exchange(p, nullptr));
    }
  }
  // A block tells which one it is.
  void fill() {
    for (void*& p : blocks_) {
      for (std::size_t i = 0; i < words_ && p != nullptr; ++i) static_cast<void**>(p)[i] = &p;
    }
  }
  void check() const {
    for (void* const& p : blocks_) {
      for (std::size_t i = 0; i < words_ && p != nullptr; ++i) {
        require(static_cast<void**>(p)[i] == &p, "a block was written to, of bytes: ", bytes());
      }
    }
  }
  void allocate_and_fill() {
    allocate();
    fill();
  }
  void check_and_free() {
    check();
    free();
  }

 private:
  std::size_t bytes() const { return words_ * sizeof(void*); }

  std::vector<void*> blocks_;
  std::size_t words_;
};

// Calls are made on blocks that two threads have allocated, and on piles for more.
struct world {
  explicit world(std::size_t bytes)
      : mine(count_for(bytes), bytes),
        theirs(3'000, bytes),  // so many that they are put back for another
        next(count_for(bytes), bytes),
        more(count_for(bytes), bytes),
        in_child(100, bytes),
        of_heap(20, bytes) {}

  // More than a magazine holds, and than a slab.
  static std::size_t count_for(std::size_t bytes) { return 40'000 / bytes + 300; }

  malloc_test::stepped_engine engine;
  stepped_threads threads{4};
  pile mine, theirs, next, more, in_child, of_heap;
  bool are_mine_freed = false;
  detail::user_heap* heap = nullptr;
  const detail::thread_progress* progress = nullptr;  // of the thread whose call it is
  bool is_child = false;
  int status_of_child = 0;
  mallard_test::outcome in_handler{true, {}};
};

constexpr std::size_t first = 0;
constexpr std::size_t second = 1;
constexpr std::size_t third = 2;

struct named_call {
  const char* name;
  void (*make)(world&);
  bool is_of_new_thread = false;
  bool frees_mine = false;  // so nobody else does
  bool in_handler = false;  // of a signal that interrupts the call
};

constexpr std::array calls = {
    named_call{"allocates", [](world& w) { w.next.allocate(); }},
    named_call{"frees its own", [](world& w) { w.mine.free(); }, false, true},
    named_call{"frees blocks of another", [](world& w) { w.theirs.free(); }},
    named_call{"begins",
               [](world& w) {
                 have_heap();
                 w.next.allocate();
               },
               true},
    named_call{"ends", [](world&) { detail::the_heaps.end_thread(detail::cache); }},
    named_call{"trims", [](world&) { detail::trim(); }},
    named_call{"needs large blocks",
               [](world&) {
                 void* const slices = detail::allocate(300'000);
                 void* const mapped = detail::allocate(9'000'000);
                 detail::deallocate(slices);
                 detail::deallocate(mapped == nullptr ? nullptr
                                                      : detail::reallocate(mapped, 9'500'000));
               }},
    named_call{"uses a heap",
               [](world& w) {
                 w.of_heap.allocate_from(*w.heap);
                 w.of_heap.free();
               }},
    named_call{"makes a heap and destroys it",
               [](world&) {
                 detail::user_heap* const heap = detail::user_heap::create();
                 if (heap == nullptr) return;
                 heap->allocate(100, 1);
                 heap->allocate(300'000, 1);
                 heap->destroy();
               }},
    named_call{"opens a scope",
               [](world& w) {
                 detail::open_scope* const scope = detail::begin_scope(w.heap);
                 w.next.allocate();
                 if (scope != nullptr) detail::end_scope(scope);
               }},
};

constexpr std::array meanwhile = {
    named_call{"another allocates",
               [](world& w) { w.threads.run(second, [&] { w.more.allocate_and_fill(); }); }},
    named_call{"another frees its blocks",
               [](world& w) {
                 if (!w.are_mine_freed) w.threads.run(second, [&] { w.mine.free(); });
                 w.are_mine_freed = true;
               }},
    named_call{"another ends", [](world& w) { w.threads.end(second); }},
    named_call{"another begins",
               [](world& w) {
                 w.threads.run(third, [&] {
                   have_heap();
                   w.more.allocate_and_fill();
                 });
               }},
    named_call{"another trims", [](world&) { detail::trim(); }},
    named_call{"another uses its heap",
               [](world& w) { detail::deallocate(w.heap->allocate(100, 1)); }},
    named_call{"seconds pass",
               [](world& w) {
                 for (int i = 0; i < 4; ++i) {
                   malloc_test::seconds_later += 1;
                   w.threads.run(second, [&] {
                     for (int k = 0; k < 40; ++k) {
                       w.more.allocate();
                       w.more.free();
                     }
                   });
                 }
               }},
    named_call{"another forks",
               [](world& w) {
                 const mallard_test::outcome child = mallard_test::run_forked([&] {
                   w.in_child.allocate_and_fill();
                   if (!w.are_mine_freed) w.mine.check_and_free();
                   w.in_child.check_and_free();
                   detail::trim();
                 });
                 require(child.passed, "in a child: ", child.message);
               }},
    named_call{"the system refuses memory",
               [](world&) { malloc_test::refuses = [] { return true; }; }},
    // Else a signal handler would take the lock.
    named_call{"holds no lock unless it is in a slow path",
               [](world& w) {
                 bool holds_lock = false;
                 for (detail::malloc_heap* h = detail::the_heaps.first(); h != nullptr;
                      h = h->next) {
                   if (h->lock().try_acquire()) {
                     h->lock().release();
                   } else {
                     holds_lock = true;
                   }
                 }
                 require(!holds_lock || w.progress->depth != 0, "a lock is held");
               }},
    named_call{"another asks for figures", [](world&) { detail::usage_of_malloc(); }},
    // The child goes on with the call.
    named_call{"its handler forks",
               [](world& w) {
                 const pid_t child = fork();
                 if (child == 0) {
                   alarm(20);
                   w.is_child = true;
                   return;
                 }
                 waitpid(child, &w.status_of_child, 0);
               },
               false, false, true},
    named_call{"its handler allocates and does not return",
               [](world& w) {
                 w.in_handler = mallard_test::run_forked([&] {
                   w.in_child.allocate_and_fill();
                   w.in_child.check_and_free();
                 });
               },
               false, false, true},
};

// Where the call stands still, and at which visit.
struct place {
  mallard_test::instruction at;
  std::size_t visit;
};

// Makes the call in a world that `decide` chooses.
void run(const named_call& call, std::size_t bytes, choices& decide,
         const std::function<void(world&, const std::function<void()>& call)>& run_call) {
  world w(bytes);
  w.threads.run(call.is_of_new_thread ? third + 1 : first, [&] {
    have_heap();
    w.mine.allocate_and_fill();
    // The magazine has none, all, or some.
    w.next.allocate();
    w.next.free();
    w.next.allocate(decide.below(300));
  });
  w.threads.run(second, [&] {
    have_heap();
    w.theirs.allocate_and_fill();
  });
  w.heap = detail::user_heap::create();
  require(w.heap != nullptr, "no heap");
  w.are_mine_freed = call.frees_mine;
  run_call(w, [&] {
    w.progress = &detail::progress;
    call.make(w);
  });
  malloc_test::refuses = malloc_test::refuses_none;
  w.next.fill();
  for (std::size_t t = first; t <= third + 1; ++t) w.threads.end(t);
  for (pile* const p : {&w.mine, &w.theirs, &w.next, &w.more}) p->check_and_free();
  w.heap->destroy();
  w.engine.expect_nothing_lost();
}

std::vector<mallard_test::instruction> instructions_of(const named_call& call) {
  std::vector<mallard_test::instruction> met;
  choices decide(std::uint64_t{1}, 100);
  run(call, 48, decide, [&](world& w, const std::function<void()>& make) {
    met = mallard_test::instructions_of(w.threads, first, make);
  });
  return met;
}

void run_interrupted(const named_call& call, const named_call& other, place stands,
                     choices& decide) {
  constexpr std::array<std::size_t, 4> sizes = {48, 112, 1'000, 5'000};
  const std::size_t bytes = sizes[decide.below(sizes.size())];
  run(call, bytes, decide, [&](world& w, const std::function<void()>& make) {
    const auto in_between = [&] { other.make(w); };
    if (!other.in_handler) {
      mallard_test::run_interrupted(w.threads, first, stands.at, stands.visit, make, in_between);
      return;
    }
    const auto end_child = [&] {
      if (!w.is_child) return;
      w.in_child.allocate_and_fill();
      w.in_child.check_and_free();
      detail::trim();
      w.of_heap.free();
      w.heap->destroy();
      _exit(0);
    };
    mallard_test::run_with_handler(w.threads, first, stands.at, stands.visit, make, in_between,
                                   end_child);
    require(w.status_of_child == 0, "a child ended with status ", w.status_of_child);
    require(w.in_handler.passed, "in the handler: ", w.in_handler.message);
  });
}

class malloc_interrupted : public testing::TestWithParam<named_call> {
 protected:
  void SetUp() override {
    if (!mallard_test::can_interrupt_calls()) GTEST_SKIP() << "no breakpoints here";
  }
  static void expect_passed(const named_call& other, const std::function<void()>& check,
                            const std::string& more = "") {
    mallard_test::expect_passed(check, std::string("a thread that ") + GetParam().name +
                                           " stands still, and " + other.name + more + ": ");
  }
};

TEST_P(malloc_interrupted, may_stand_still_anywhere_while_others_go_on) {
  const auto met = instructions_of(GetParam());
  for (const named_call& other : meanwhile) {
    for (const std::uint64_t seed : mallard_test::test_seeds(1)) {
      expect_passed(
          other,
          [&] {
            choices decide(seed, 10'000);
            for (int i = 0; i < 10; ++i) {
              const place stands{met[decide.below(met.size())], 1 + decide.below(3)};
              run_interrupted(GetParam(), other, stands, decide);
            }
          },
          mallard_test::reproduce_with(seed));
    }
  }
}

// Takes minutes.
TEST_P(malloc_interrupted, DISABLED_may_stand_still_at_every_instruction) {
  const auto met = instructions_of(GetParam());
  for (const named_call& other : meanwhile) {
    for (std::size_t from = 0; from < met.size(); from += 500) {
      expect_passed(other, [&] {
        for (std::size_t i = from; i < std::min(from + 500, met.size()); ++i) {
          choices decide(i, 100);
          run_interrupted(GetParam(), other, {met[i], 1}, decide);
        }
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(a_thread_that, malloc_interrupted, testing::ValuesIn(calls),
                         [](const auto& of) {
                           std::string name = of.param.name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
