#include "mallard/frame_from.hpp"

#include <gtest/gtest.h>

#include <coroutine>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <stdexcept>
#include <utility>

#include "mallard/allocator.hpp"
#include "mallard/checks/default_resource_guard.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/resource_ref.hpp"

namespace {

// A coroutine that adds up what it is told, one resumption at a time.
template <class Frames>
class sum {
 public:
  struct promise_type : Frames {
    sum get_return_object() {
      return sum(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() { throw; }
    int value = 0;
  };

  explicit sum(std::coroutine_handle<promise_type> h) : handle_(h) {}
  sum(const sum&) = delete;
  sum& operator=(const sum&) = delete;
  ~sum() { handle_.destroy(); }
  int result() {
    while (!handle_.done()) handle_.resume();
    return handle_.promise().value;
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

using by_base = sum<mallard::frame_from<>>;
using by_type = sum<mallard::frame_from<mallard::multipool_resource>>;

[[gnu::noinline]] by_base to_default(int n) {
  co_await std::suspend_always();
  co_return n + 1;
}
[[gnu::noinline]] by_base leading(std::pmr::memory_resource&, int n) {
  co_await std::suspend_always();
  co_return n + 1;
}
[[gnu::noinline]] by_base leading_pointer(std::pmr::memory_resource*, int n) {
  co_return n + 1;
}
[[gnu::noinline]] by_base leading_ref(mallard::resource_ref, int n) {
  co_return n + 1;
}
[[gnu::noinline]] by_base tagged(std::allocator_arg_t, mallard::resource_ref, int n) {
  co_return n + 1;
}
[[gnu::noinline]] by_base tagged_allocator(std::allocator_arg_t, std::pmr::polymorphic_allocator<>,
                                           int n) {
  co_return n + 1;
}
[[gnu::noinline]] by_base other_first(int n, std::allocator_arg_t, std::pmr::memory_resource&) {
  co_return n + 1;
}

TEST(frame_from, takes_the_frame_from_the_resource_that_the_coroutine_is_called_with) {
  const mallard::forbidden_default no_other;
  const auto uses = [](auto call) {
    mallard::test_resource memory;
    {
      auto coroutine = call(memory);
      EXPECT_EQ(memory.counts().in_use_blocks, 1u);
      EXPECT_EQ(coroutine.result(), 8);
    }
    EXPECT_EQ(memory.counts().in_use_blocks, 0u);
    EXPECT_EQ(memory.counts().allocations, 1u);
  };
  uses([](mallard::test_resource& m) { return leading(m, 7); });
  uses([](mallard::test_resource& m) { return leading_pointer(&m, 7); });
  uses([](mallard::test_resource& m) { return leading_ref(m, 7); });
  uses([](mallard::test_resource& m) { return tagged(std::allocator_arg, m, 7); });
  uses([](mallard::test_resource& m) { return tagged_allocator(std::allocator_arg, &m, 7); });
  uses([](mallard::test_resource& m) { return other_first(7, std::allocator_arg, m); });
  uses([](mallard::test_resource& m) {
    static const auto lambda = [](std::pmr::memory_resource&, int n) -> by_base {
      co_return n + 1;
    };
    return lambda(m, 7);
  });
}

struct has_coroutines {
  by_base leading(std::pmr::memory_resource&) const { co_return number; }
  by_base tagged(std::allocator_arg_t, std::pmr::memory_resource*) const { co_return number; }
  int number = 5;
};

TEST(frame_from, takes_it_in_member_functions_too) {
  const mallard::forbidden_default no_other;
  mallard::test_resource memory;
  const has_coroutines object;
  EXPECT_EQ(object.leading(memory).result(), 5);
  EXPECT_EQ(object.tagged(std::allocator_arg, &memory).result(), 5);
  EXPECT_EQ(memory.counts().allocations, 2u);
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(frame_from, without_a_resource_the_default_one_is_taken) {
  mallard::test_resource memory;
  std::pmr::memory_resource* const before = std::pmr::set_default_resource(&memory);
  EXPECT_EQ(to_default(7).result(), 8);
  std::pmr::set_default_resource(before);
  EXPECT_EQ(memory.counts().allocations, 1u);
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(frame_from, the_frame_goes_back_to_its_resource_whatever_is_the_default_by_then) {
  mallard::test_resource memory;
  std::pmr::memory_resource* const before = std::pmr::set_default_resource(&memory);
  {
    by_base coroutine = to_default(7);
    std::pmr::set_default_resource(before);
  }
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

[[gnu::noinline]] by_type frame_in_pool(mallard::multipool_resource&, int n) {
  co_return n + 1;
}
[[gnu::noinline]] by_type frame_in_pool_by_allocator(
    std::allocator_arg_t, mallard::allocator<std::byte, mallard::multipool_resource>, int n) {
  co_return n + 1;
}

TEST(frame_from, binds_by_type) {
  mallard::multipool_resource pool;
  {
    by_type first = frame_in_pool(pool, 1);
    by_type second = frame_in_pool_by_allocator(std::allocator_arg, &pool, 2);
    EXPECT_GT(pool.stats().in_use_bytes, 0u);
    EXPECT_EQ(first.result() + second.result(), 5);
  }
  EXPECT_EQ(pool.stats().in_use_bytes, 0u);
}

[[gnu::noinline]] by_base failing(std::pmr::memory_resource&) {
  throw std::runtime_error("no");
  co_return 0;
}

TEST(frame_from, an_exception_in_the_body_leaves_the_frame_to_its_owner) {
  mallard::test_resource memory;
  {
    by_base coroutine = failing(memory);
    EXPECT_THROW(coroutine.result(), std::runtime_error);
  }
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

TEST(frame_from, what_the_resource_throws_leaves_the_call) {
  EXPECT_THROW(static_cast<void>(leading(*std::pmr::null_memory_resource(), 1)), std::bad_alloc);
}

// Its promise throws, after the frame has been allocated.
struct unpromising {
  struct promise_type : mallard::frame_from<> {
    promise_type() { throw std::runtime_error("no"); }
    unpromising get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
[[gnu::noinline]] unpromising promise_fails(std::pmr::memory_resource&) {
  co_return;
}

TEST(frame_from, a_promise_that_throws_gives_the_frame_back) {
  mallard::test_resource memory;
  EXPECT_THROW(promise_fails(memory), std::runtime_error);
  EXPECT_EQ(memory.counts().allocations, 1u);
  EXPECT_EQ(memory.counts().in_use_blocks, 0u);
}

// Notes the sizes it is asked for; of one of its kind there is no need to remember which.
struct stateless {
  static inline std::size_t asked = 0;
  static inline std::size_t given_back = 0;
  void* allocate(std::size_t bytes, std::size_t) {
    asked = bytes;
    return ::operator new(bytes);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    given_back = bytes;
    ::operator delete(p);
  }
};

TEST(frame_from, a_frame_grows_by_a_pointer_and_not_at_all_without_state) {
  using sized = mallard::frame_from<stateless>;
  sized::operator delete(sized::operator new(104, 1), 104);
  EXPECT_EQ(stateless::asked, 104u);
  EXPECT_EQ(stateless::given_back, 104u);
  mallard::test_resource memory;
  using based = mallard::frame_from<>;
  void* const frame = based::operator new(104, memory);
  EXPECT_EQ(memory.counts().in_use_bytes, 104 + sizeof(void*));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(frame) % __STDCPP_DEFAULT_NEW_ALIGNMENT__, 0u);
  based::operator delete(frame, 104);
  EXPECT_EQ(memory.counts().in_use_bytes, 0u);
}

}  // namespace
