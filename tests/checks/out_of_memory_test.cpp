// The checks go on when there is no memory for what they note. The program's operator new fails
// when it is told to.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <new>
#include <vector>

#include "mallard/checks/guard_resource.hpp"
#include "mallard/checks/logging_resource.hpp"
#include "mallard/checks/test_resource.hpp"
#include "support/scratch_path.hpp"

namespace {

thread_local bool there_is_no_memory = false;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (there_is_no_memory) throw std::bad_alloc();
  if (void* const p = std::malloc(bytes + (bytes == 0))) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

namespace {

// As long as it lives.
struct out_of_memory {
  out_of_memory() { there_is_no_memory = true; }
  out_of_memory(const out_of_memory&) = delete;
  out_of_memory& operator=(const out_of_memory&) = delete;
  ~out_of_memory() { there_is_no_memory = false; }
};

// For upstreams that do not take part.
std::byte* room() {
  alignas(64) static std::byte bytes[1 << 20];
  return bytes;
}

TEST(without_memory, a_log_loses_lines_and_no_blocks) {
  const mallard::scratch_file file;
  std::pmr::monotonic_buffer_resource below(room(), 1 << 20, std::pmr::null_memory_resource());
  {
    mallard::logging_resource log(file.path().c_str(), "log", &below);
    void* p = nullptr;
    {
      const out_of_memory now;
      EXPECT_NO_THROW(p = log.allocate(100, 8));
      EXPECT_NO_THROW(log.deallocate(p, 100, 8));
    }
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(log.error(), ENOMEM);
  }
}

TEST(without_memory, a_guard_resource_takes_blocks_back) {
  std::vector<mallard::test_fault> found;
  mallard::guard_resource pages({},
                                [&](const mallard::test_report& r) { found.push_back(r.fault); });
  std::vector<void*> blocks;
  for (int i = 0; i < 600; ++i) blocks.push_back(pages.allocate(100, 4));
  {
    const out_of_memory now;
    for (void* const p : blocks) EXPECT_NO_THROW(pages.deallocate(p, 100, 4));
    EXPECT_NO_THROW(pages.deallocate(room(), 100, 4));
  }
  EXPECT_EQ(pages.in_use_blocks(), 0u);
  EXPECT_TRUE(found.empty());
}

TEST(without_memory, a_test_resource_takes_blocks_back) {
  std::pmr::monotonic_buffer_resource below(room(), 1 << 20, std::pmr::null_memory_resource());
  mallard::test_resource upstream(&below);
  {
    mallard::test_resource memory({.quarantine_bytes = 2000}, &upstream);
    std::vector<void*> blocks;
    for (int i = 0; i < 600; ++i) blocks.push_back(memory.allocate(100, 8));
    {
      const out_of_memory now;
      for (void* const p : blocks) EXPECT_NO_THROW(memory.deallocate(p, 100, 8));
    }
    EXPECT_EQ(memory.counts().in_use_blocks, 0u);
    memory.deallocate(memory.allocate(100, 8), 100, 8);
  }
  EXPECT_EQ(upstream.counts().in_use_blocks, 0u);
}

}  // namespace
