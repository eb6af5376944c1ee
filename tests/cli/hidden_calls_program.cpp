// Functions whose calls a recording shows in part: code has other ways in and out of them than
// calls and returns between modules' own places. Says of each on standard output the most that one
// call allocated.
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace {

volatile int one = 1;
std::array<void* volatile, 1024> kept;
long made = 0, most = 0;

#define ALLOCATE(bytes) kept[static_cast<std::size_t>(made++) % kept.size()] = std::malloc(bytes)

template <class F>
void call(const F& function) {
  made = 0;
  try {
    function();
  } catch (...) {
  }
  if (made > most) most = made;
}

template <class F>
void tell(const char* name, const F& calls) {
  most = 0;
  calls();
  std::printf("%s %ld\n", name, most);
}

[[gnu::noinline]] void several(int count) {
  for (int i = 0; i < count; ++i) ALLOCATE(4);
}

struct base {
  virtual void virtual_tail(int count) = 0;

 protected:
  ~base() = default;
};
struct derived final : base {
  void virtual_tail(int count) override {
    ALLOCATE(1);
    ALLOCATE(2);
    several(count);
  }
};

[[gnu::noinline]] void pointed_to(int count) {
  if (count == 0) ALLOCATE(3);
  several(count);
}

inline void in_line(int count) {
  ALLOCATE(1);
  if (count > 2) {
    ALLOCATE(2);
    ALLOCATE(3);
  }
}

[[gnu::noinline]] void throw_again(bool really) {
  if (really) throw;
}
[[gnu::noinline]] void in_handler(bool throws) {
  ALLOCATE(1);
  try {
    throw_again(throws);
  } catch (...) {
    ALLOCATE(2);
    ALLOCATE(3);
    return;
  }
  if (!throws && one != 0) return;
  ALLOCATE(4);
}
[[gnu::noinline]] void behind_handler(bool early) {
  if (!early) {
    ALLOCATE(8);
    try {
      throw_again(one != 0);
      return;
    } catch (...) {
    }
  }
  ALLOCATE(24);
}
[[gnu::noinline]] void allocate_or_throw(bool throws) {
  throw_again(throws);
  ALLOCATE(9);
}
[[gnu::noinline]] void skipped(bool throws, int count) {
  try {
    allocate_or_throw(throws);
  } catch (...) {
  }
  for (int i = 0; i < count; ++i) ALLOCATE(3);
}
[[gnu::noinline]] void left_by_throw(int count) {
  for (int i = 0;; ++i) {
    ALLOCATE(16);
    if (i == count) throw;
  }
}

void of_signal(int) {
  for (int i = 0; i < 2 * one; ++i) ALLOCATE(8);
}

std::array<char, 64> no_block;
void* give_no_block(std::size_t) {
  return no_block.data();
}
void* (*hook)(std::size_t) = std::malloc;
[[gnu::noinline]] void* hooked(std::size_t bytes) {
  return hook(bytes);
}
[[gnu::noinline]] void through_hook(int count) {
  kept[0] = hooked(8);
  if (hook == std::malloc) ++made;
  for (int i = 0; i < count; ++i) ALLOCATE(16);
}

// The call of free is a jump: free has its frame then.
[[gnu::noinline]] void frees_last() {
  ALLOCATE(4);
  std::free(kept[static_cast<std::size_t>(made - 1)]);
}
[[gnu::noinline]] int calls_what_frees_last(int i) {
  frees_last();
  if (i % 3 == 0) frees_last();
  return one;
}
[[gnu::noinline]] int loops_over_what_frees_last(int i) {
  for (int left = i % 4; left >= 0; --left) frees_last();
  return one;
}

template <class F>
void again(const F& function) {
  for (int i = 0; i < 10 * one; ++i) call([&] { function(i); });
}

void by_pointers() {
  tell("virtual_tail", [] {
    derived object;
    base* volatile const by_base = &object;
    again([&](int) { by_base->virtual_tail(3); });
  });
  tell("pointed_to", [] {
    const std::function<void(int)> function = pointed_to;
    again([&](int i) { function(i % 4); });
  });
  tell("in_line", [] {
    void (*volatile const pointer)(int) = in_line;
    again([&](int) { pointer(1); });
    again([](int i) { in_line(3 + i); });
  });
  tell("of_signal", [] {
    std::signal(SIGUSR1, of_signal);
    again([](int) { std::raise(SIGUSR1); });
  });
  tell("calls_what_frees_last", [] { again([](int i) { calls_what_frees_last(i); }); });
  tell("loops_over_what_frees_last", [] { again([](int i) { loops_over_what_frees_last(i); }); });
  tell("through_hook", [] {
    again([](int i) {
      if (i == 1) hook = give_no_block;
      through_hook(1);
    });
  });
}

void by_throws() {
  tell("in_handler", [] { again([](int i) { in_handler(i % 2 != 0); }); });
  tell("behind_handler", [] { again([](int i) { behind_handler(i % 4 == 3); }); });
  tell("skipped", [] { again([](int i) { skipped(i != 0, 1); }); });
  tell("left_by_throw", [] { again([](int i) { left_by_throw(i % 3); }); });
}

[[gnu::noinline]] void allocates_nothing() {
  one = 1;
}

}  // namespace

// With an argument: those that are left by a throw.
int main(int count, char**) {
  allocates_nothing();
  if (count == 1) {
    by_pointers();
    return 0;
  }
  try {
    throw 1;
  } catch (...) {
    by_throws();
  }
}
