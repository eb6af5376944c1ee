// The operators new and delete of the process's malloc, all forms.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <thread>
#include <vector>

namespace {

using std::align_val_t;

struct form {
  const char* name;
  bool throws;
  std::size_t alignment;
  std::function<void*(std::size_t)> allocate;
  std::function<void(void*, std::size_t)> deallocate;
};

constexpr auto a64 = align_val_t{64};
constexpr auto a64k = align_val_t{65536};

const std::vector<form>& forms() {
  static const std::vector<form> all = {
      {"new", true, 16, [](std::size_t n) { return operator new(n); },
       [](void* p, std::size_t) { operator delete(p); }},
      {"new, sized delete", true, 16, [](std::size_t n) { return operator new(n); },
       [](void* p, std::size_t n) { operator delete(p, n); }},
      {"new[]", true, 16, [](std::size_t n) { return operator new[](n); },
       [](void* p, std::size_t) { operator delete[](p); }},
      {"new[], sized delete[]", true, 16, [](std::size_t n) { return operator new[](n); },
       [](void* p, std::size_t n) { operator delete[](p, n); }},
      {"nothrow new", false, 16, [](std::size_t n) { return operator new(n, std::nothrow); },
       [](void* p, std::size_t) { operator delete(p, std::nothrow); }},
      {"nothrow new[]", false, 16, [](std::size_t n) { return operator new[](n, std::nothrow); },
       [](void* p, std::size_t) { operator delete[](p, std::nothrow); }},
      {"aligned new", true, 64, [](std::size_t n) { return operator new(n, a64); },
       [](void* p, std::size_t) { operator delete(p, a64); }},
      {"aligned new, sized delete", true, 64, [](std::size_t n) { return operator new(n, a64); },
       [](void* p, std::size_t n) { operator delete(p, n, a64); }},
      {"aligned new[]", true, 64, [](std::size_t n) { return operator new[](n, a64); },
       [](void* p, std::size_t) { operator delete[](p, a64); }},
      {"aligned new[], sized delete[]", true, 65536,
       [](std::size_t n) { return operator new[](n, a64k); },
       [](void* p, std::size_t n) { operator delete[](p, n, a64k); }},
      {"aligned nothrow new", false, 64,
       [](std::size_t n) { return operator new(n, a64, std::nothrow); },
       [](void* p, std::size_t) { operator delete(p, a64, std::nothrow); }},
      {"aligned nothrow new[]", false, 65536,
       [](std::size_t n) { return operator new[](n, a64k, std::nothrow); },
       [](void* p, std::size_t) { operator delete[](p, a64k, std::nothrow); }},
  };
  return all;
}

constexpr std::size_t too_large = PTRDIFF_MAX;

class with_new_handler {
 public:
  explicit with_new_handler(std::new_handler handler) : before_(std::set_new_handler(handler)) {}
  ~with_new_handler() { std::set_new_handler(before_); }
  with_new_handler(const with_new_handler&) = delete;
  with_new_handler& operator=(const with_new_handler&) = delete;

 private:
  std::new_handler before_;
};

TEST(malloc_cpp_api, every_form_allocates_and_frees) {
  for (const form& f : forms()) {
    for (const std::size_t bytes : {0ul, 1ul, 100ul, 5000ul, 100'000ul, 20'000'000ul}) {
      void* const p = f.allocate(bytes);
      void* const q = f.allocate(bytes);
      ASSERT_NE(p, nullptr) << f.name;
      EXPECT_NE(p, q) << f.name;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % f.alignment, 0u) << f.name;
      std::memset(p, 1, bytes);
      f.deallocate(p, bytes);
      f.deallocate(q, bytes);
    }
    f.deallocate(nullptr, 0);
  }
}

// A thread's first blocks are of a heap that all threads have in common; later its own heap takes
// slabs over from there.
TEST(malloc_cpp_api, first_blocks_of_a_thread_keep_their_sizes_when_it_gets_their_slabs) {
  std::vector<void*> left;
  std::thread([&] {
    for (std::size_t n = 32; n < 1100; n += 8) {
      left.push_back(operator new(n));
      for (int k = 0; k < 40; ++k) operator delete(operator new(n));
    }
  }).join();
  std::thread([] {
    std::array<void*, 29> first{};
    const auto bytes_of = [](std::size_t i) { return 96 + 32 * i; };
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = operator new(bytes_of(i));
    std::vector<void*> later;
    for (std::size_t n = 56; n < 1024; n += 64) {
      for (int k = 0; k < 200; ++k) later.push_back(operator new(n));
    }
    for (std::size_t i = 0; i < first.size(); ++i) operator delete(first[i], bytes_of(i));
    for (void* p : later) operator delete(p);
  }).join();
  for (void* p : left) operator delete(p);
}

TEST(malloc_cpp_api, what_is_too_large_throws_bad_alloc_or_gives_null) {
  for (const form& f : forms()) {
    for (const std::size_t bytes : {too_large, SIZE_MAX, SIZE_MAX - 20, SIZE_MAX - 4096}) {
      if (f.throws) {
        EXPECT_THROW(f.allocate(bytes), std::bad_alloc) << f.name;
      } else {
        EXPECT_EQ(f.allocate(bytes), nullptr) << f.name;
      }
    }
  }
}

int handler_calls = 0;

TEST(malloc_cpp_api, the_new_handler_is_called_until_it_gives_up) {
  for (const form& f : forms()) {
    handler_calls = 0;
    const with_new_handler scope([] {
      if (++handler_calls == 3) std::set_new_handler(nullptr);
    });
    if (f.throws) {
      EXPECT_THROW(f.allocate(too_large), std::bad_alloc) << f.name;
    } else {
      EXPECT_EQ(f.allocate(too_large), nullptr) << f.name;
    }
    EXPECT_EQ(handler_calls, 3) << f.name;
  }
}

struct of_handler : std::bad_alloc {};

TEST(malloc_cpp_api, what_the_handler_throws_is_passed_on_except_by_nothrow) {
  const with_new_handler scope([] { throw of_handler(); });
  for (const form& f : forms()) {
    if (f.throws) {
      EXPECT_THROW(f.allocate(too_large), of_handler) << f.name;
    } else {
      EXPECT_EQ(f.allocate(too_large), nullptr) << f.name;
    }
  }
}

TEST(malloc_cpp_api, objects_of_over_aligned_types_are_aligned) {
  struct alignas(256) wide {
    char text[300];
  };
  std::vector<wide> objects(10);
  for (const wide& w : objects) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&w) % 256, 0u);
  auto* const one = new wide();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one) % 256, 0u);
  delete one;
}

}  // namespace
