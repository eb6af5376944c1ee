#include <cstdlib>
#include <list>
#include <memory>
#include <memory_resource>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "checks/planted_faults.hpp"
#include "mallard/checks/exception_test_loop.hpp"

namespace planted {
namespace {

using fault = test_fault;

// A handle with a bug: its copy owns the same block.
struct careless {
  bench* b;
  void* p;
  bool owns = true;
  explicit careless(bench& with) : b(&with), p(with.get(40)) {}
  careless(const careless& other) : b(other.b), p(other.p), owns(b != nullptr) {}
  ~careless() {
    if (owns) b->put(p, 40);
  }
};

// A container with a bug: its move assignment takes the block and keeps its own resource.
struct thief {
  std::pmr::memory_resource* from;
  void* p = nullptr;
  explicit thief(std::pmr::memory_resource* r, bool full = false) : from(r) {
    if (full) p = r->allocate(16, 8);
  }
  void take(thief& other, bool plant) {
    p = std::exchange(other.p, nullptr);
    if (!plant) from = other.from;
  }
  ~thief() {
    if (p != nullptr) from->deallocate(p, 16, 8);
  }
};

struct base {
  long a = 1;
};
struct derived : base {
  long b = 2, c = 3;
};
struct alignas(64) wide {
  char text[64];
};

struct fails {
  fails() { throw std::runtime_error("no"); }
};

// A node that is lost when the second allocation fails.
struct pair_of_blocks {
  std::pmr::memory_resource* from;
  void* first;
  void* second = nullptr;
  pair_of_blocks(std::pmr::memory_resource* r, bool plant) : from(r), first(r->allocate(8, 8)) {
    try {
      second = r->allocate(24, 8);
    } catch (...) {
      if (!plant) r->deallocate(first, 8, 8);
      throw;
    }
  }
  ~pair_of_blocks() {
    from->deallocate(second, 24, 8);
    from->deallocate(first, 8, 8);
  }
};

void add_doubles_and_strangers(std::vector<program>& to) {
  const auto add = [&](const char* name, fault expected, void (*run)(bench&, bool)) {
    to.push_back({name, expected, false, run});
  };
  add("twice", fault::double_free, [](bench& b, bool plant) {
    void* const p = b.get(10);
    b.put(p, 10);
    if (plant) b.put(p, 10);
  });
  add("by two owners", fault::double_free, [](bench& b, bool plant) {
    careless one(b);
    careless two(one);
    two.owns = plant;
  });
  add("again after 100 others", fault::double_free, [](bench& b, bool plant) {
    void* const p = b.get(10);
    b.put(p, 10);
    std::vector<void*> others;
    for (int i = 0; i < 100; ++i) others.push_back(b.get(10));
    for (void* o : others) b.put(o, 10);
    if (plant) b.put(p, 10);
  });
  add("by a handler and by the normal way", fault::double_free, [](bench& b, bool plant) {
    void* const p = b.get(10);
    try {
      if (plant) b.put(p, 10);
      throw 1;
    } catch (int) {
      b.put(p, 10);
    }
  });
  add("to another resource", fault::wrong_resource, [](bench& b, bool plant) {
    void* const p = b.get(10);
    (plant ? b.other : b.memory).deallocate(p, 10, 8);
    if (plant) b.put(p, 10);
  });
  add("taken over from a container of another resource", fault::wrong_resource,
      [](bench& b, bool plant) {
        void* stolen = nullptr;
        {
          thief mine(&b.memory);
          thief theirs(&b.other, true);
          stolen = theirs.p;
          mine.take(theirs, plant);
        }
        if (plant) b.other.deallocate(stolen, 16, 8);
      });
  add("a variable on the stack", fault::foreign_pointer, [](bench& b, bool plant) {
    long local = 0;
    if (plant) b.put(&local, sizeof local);
  });
  add("a pointer into the block", fault::foreign_pointer, [](bench& b, bool plant) {
    auto* const p = static_cast<char*>(b.get(10));
    if (plant) b.put(p + 1, 9, 1);
    b.put(p, 10);
  });
  add("a block of malloc", fault::foreign_pointer, [](bench& b, bool plant) {
    void* const p = std::malloc(32);
    if (plant) b.put(p, 32);
    std::free(p);
  });
  add("a null pointer", fault::foreign_pointer, [](bench& b, bool plant) {
    if (plant) b.put(nullptr, 8);
  });
  to.back().sanitizers_stop = true;
}

void add_mismatches(std::vector<program>& to) {
  const auto add = [&](const char* name, fault expected, void (*run)(bench&, bool)) {
    to.push_back({name, expected, false, run});
  };
  add("a count of elements instead of bytes", fault::wrong_size, [](bench& b, bool plant) {
    void* const p = b.get(10 * sizeof(int));
    b.put(p, plant ? 10 : 10 * sizeof(int));
  });
  add("the size of the base class", fault::wrong_size, [](bench& b, bool plant) {
    auto* const p = ::new (b.get(sizeof(derived))) derived;
    b.put(p, plant ? sizeof(base) : sizeof(derived));
  });
  add("the size instead of the capacity", fault::wrong_size, [](bench& b, bool plant) {
    constexpr std::size_t capacity = 64;
    constexpr std::size_t size = 40;
    void* const p = b.get(capacity);
    b.put(p, plant ? size : capacity);
  });
  add("one byte less", fault::wrong_size, [](bench& b, bool plant) {
    void* const p = b.get(17, 1);
    b.put(p, plant ? 16 : 17, 1);
  });
  add("no size at all", fault::wrong_size, [](bench& b, bool plant) {
    void* const p = b.get(17, 1);
    b.put(p, plant ? 0 : 17, 1);
  });
  add("a weaker alignment", fault::wrong_alignment, [](bench& b, bool plant) {
    void* const p = b.get(64, 64);
    b.put(p, 64, plant ? 8 : 64);
  });
  add("the default alignment of a wide type", fault::wrong_alignment, [](bench& b, bool plant) {
    void* const p = b.get(sizeof(wide), alignof(wide));
    b.put(p, sizeof(wide), plant ? alignof(std::max_align_t) : alignof(wide));
  });
  add("an alignment of 24", fault::bad_alignment, [](bench& b, bool plant) {
    try {
      const std::size_t alignment = plant ? 24 : 32;
      b.put(b.get(48, alignment), 48, alignment);
    } catch (const std::bad_alloc&) {
    }
  });
  add("an alignment of 0", fault::bad_alignment, [](bench& b, bool plant) {
    try {
      const std::size_t alignment = plant ? 0 : 1;
      b.put(b.get(48, alignment), 48, alignment);
    } catch (const std::bad_alloc&) {
    }
  });
}

void add_leaks(std::vector<program>& to) {
  const auto add = [&](const char* name, void (*run)(bench&, bool)) {
    to.push_back({name, fault::leak, false, run});
  };
  add("a block forgotten", [](bench& b, bool plant) {
    void* const p = b.get(10);
    if (!plant) b.put(p, 10);
  });
  add("a pointer overwritten", [](bench& b, bool plant) {
    void* p = b.get(10);
    if (!plant) b.put(p, 10);
    p = b.get(20);
    b.put(p, 20);
  });
  add("a constructor that throws", [](bench& b, bool plant) {
    void* const p = b.get(sizeof(fails));
    try {
      (void)::new (p) fails;
    } catch (const std::runtime_error&) {
      if (!plant) b.put(p, sizeof(fails));
    }
  });
  add("a string that is never destroyed", [](bench& b, bool plant) {
    alignas(std::pmr::string) char room[sizeof(std::pmr::string)];
    auto* const s = ::new (static_cast<void*>(room)) std::pmr::string(100, 'x', &b.memory);
    if (!plant) std::destroy_at(s);
  });
  add("one node of many", [](bench& b, bool plant) {
    std::vector<void*> nodes;
    for (int i = 0; i < 50; ++i) nodes.push_back(b.get(24));
    for (std::size_t i = plant ? 1 : 0; i < nodes.size(); ++i) b.put(nodes[i], 24);
  });
  add("an empty block", [](bench& b, bool plant) {
    void* const p = b.get(0);
    if (!plant) b.put(p, 0);
  });
  add("only when the second allocation fails", [](bench& b, bool plant) {
    mallard::exception_test_loop(
        b.memory, [plant](mallard::test_resource& r) { const pair_of_blocks both(&r, plant); });
  });
}

}  // namespace

void add_givings(std::vector<program>& to) {
  add_doubles_and_strangers(to);
  add_mismatches(to);
  add_leaks(to);
}

}  // namespace planted
