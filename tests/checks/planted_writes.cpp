#include <cstdint>
#include <cstring>
#include <list>
#include <memory_resource>
#include <string>
#include <vector>

#include "checks/planted_faults.hpp"

namespace planted {
namespace {

// The compiler must not know what is beyond the block.
template <class T>
T* hidden(void* p) {
  asm volatile("" : "+r"(p));
  return static_cast<T*>(p);
}

struct header {
  std::uint32_t count;
  std::uint32_t items[1];
};
struct point {
  double x, y;
};
struct point_with_name {
  point at;
  char name[16];
};

}  // namespace

void add_writes(std::vector<program>& to) {
  const auto overrun = [&](const char* name, void (*run)(bench&, bool)) {
    to.push_back({name, test_fault::overrun, false, run});
  };
  overrun("a byte behind the block", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(10));
    p[plant ? 10 : 9] = 'x';
    b.put(p, 10);
  });
  overrun("a byte in an empty block", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(0));
    if (plant) p[0] = 'x';
    b.put(p, 0);
  });
  overrun("a loop that runs once too often", [](bench& b, bool plant) {
    auto* const p = hidden<int>(b.get(10 * sizeof(int)));
    for (int i = 0; plant ? i <= 10 : i < 10; ++i) p[i] = i;
    b.put(p, 10 * sizeof(int));
  });
  overrun("a string without room for its end", [](bench& b, bool plant) {
    const char* text = "twelve chars";
    const std::size_t bytes = std::strlen(text) + (plant ? 0 : 1);
    auto* const p = hidden<char>(b.get(bytes, 1));
    std::memcpy(p, text, std::strlen(text) + 1);
    b.put(p, bytes, 1);
  });
  overrun("the size of another type", [](bench& b, bool plant) {
    auto* const p = hidden<point>(b.get(sizeof(point)));
    std::memset(static_cast<void*>(p), 0, plant ? sizeof(point_with_name) : sizeof(point));
    b.put(p, sizeof(point));
  });
  overrun("the last byte of the pad", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(100));
    p[plant ? 163 : 99] = 'x';
    b.put(p, 100);
  });
  overrun("behind a large block", [](bench& b, bool plant) {
    constexpr std::size_t bytes = std::size_t{2} << 20;
    auto* const p = hidden<char>(b.get(bytes));
    p[plant ? bytes : bytes - 1] = 'x';
    b.put(p, bytes);
  });
  overrun("one item too many behind a header", [](bench& b, bool plant) {
    constexpr std::uint32_t items = 5;
    const std::size_t bytes = sizeof(header) + (items - 1) * sizeof(std::uint32_t);
    auto* const p = hidden<header>(b.get(bytes));
    p->count = plant ? items + 1 : items;
    auto* const first = hidden<std::uint32_t>(p->items);
    for (std::uint32_t i = 0; i < p->count; ++i) first[i] = i;
    b.put(p, bytes);
  });
  overrun("behind a block of a strict alignment", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(96, 256));
    p[plant ? 96 : 95] = 'x';
    b.put(p, 96, 256);
  });
  overrun("seen by verify before the block comes back", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(33));
    p[plant ? 33 : 32] = 'x';
    b.memory.verify();
    b.put(p, 33);
  });
  overrun("a vector's element beyond its capacity", [](bench& b, bool plant) {
    std::pmr::vector<short> v(&b.memory);
    v.reserve(8);
    auto* const first = hidden<short>(v.data());
    first[plant ? 8 : 7] = 1;
  });

  const auto underrun = [&](const char* name, void (*run)(bench&, bool)) {
    to.push_back({name, test_fault::underrun, false, run});
  };
  underrun("a byte before the block", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(10));
    *hidden<char>(plant ? p - 1 : p) = 'x';
    b.put(p, 10);
  });
  underrun("a length kept in front of the block", [](bench& b, bool plant) {
    const std::size_t front = plant ? 0 : sizeof(std::uint32_t);
    auto* const p = hidden<char>(b.get(16 + front));
    const std::uint32_t length = 16;
    std::memcpy(hidden<char>(p + front - sizeof length), &length, sizeof length);
    b.put(p, 16 + front);
  });
  underrun("a search that runs backwards past the beginning", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(8));
    std::memset(p, ' ', 8);
    for (int i = 7; i >= (plant ? -1 : 0); --i) *hidden<char>(p + i) = '.';
    b.put(p, 8);
  });
  underrun("the first byte of the pad of a strict alignment", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(10, 128));
    *hidden<char>(plant ? p - 64 : p) = 'x';
    b.put(p, 10, 128);
  });

  const auto used = [&](const char* name, void (*run)(bench&, bool)) {
    to.push_back({name, test_fault::use_after_free, false, run, true});
  };
  used("a write through a dangling pointer", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(24));
    if (!plant) p[3] = 'x';
    b.put(p, 24);
    if (plant) p[3] = 'x';
  });
  used("a vector's old buffer", [](bench& b, bool plant) {
    std::pmr::vector<int> v({1, 2, 3}, &b.memory);
    int* kept = hidden<int>(v.data());
    v.reserve(100);
    if (!plant) kept = v.data();
    *kept = 7;
  });
  used("a node after it was erased", [](bench& b, bool plant) {
    std::pmr::list<long> numbers({1, 2, 3}, &b.memory);
    long* const second = hidden<long>(&*std::next(numbers.begin()));
    if (!plant) *second = 8;
    numbers.erase(std::next(numbers.begin()));
    if (plant) *second = 8;
  });
  used("the text of a string that is gone", [](bench& b, bool plant) {
    char* text = nullptr;
    {
      std::pmr::string s(100, 'x', &b.memory);
      text = hidden<char>(s.data());
      if (!plant) text[50] = 'y';
    }
    if (plant) text[50] = 'y';
  });
  used("the last byte, seen by verify", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(4000));
    b.put(p, 4000);
    if (plant) p[3999] = 'x';
    b.memory.verify();
  });
  used("seen when the quarantine is full", [](bench& b, bool plant) {
    auto* const p = hidden<char>(b.get(100));
    b.put(p, 100);
    if (plant) p[0] = 'x';
    for (int i = 0; i < 300; ++i) b.put(b.get(1000), 1000);
  });
}

}  // namespace planted
