// The malloc beside the process's own.
#include "mallard/malloc/prefixed.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t big = std::size_t{40} << 20;

TEST(malloc_prefixed, leaves_the_processs_malloc_alone) {
  Dl_info where{};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "malloc"), &where), 0);
  EXPECT_NE(std::strstr(where.dli_fname, "libc.so"), nullptr) << where.dli_fname;
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  void* const p = mallard_malloc(big);
  ASSERT_NE(p, nullptr);
  EXPECT_LT(mallinfo2().uordblks + mallinfo2().hblkhd - before, big);
  EXPECT_GE(mallard_unfreed_bytes(), big);
  mallard_free(p);
}

TEST(malloc_prefixed, has_the_functions_of_c) {
  auto* p = static_cast<unsigned char*>(mallard_calloc(3, 1000));
  ASSERT_NE(p, nullptr);
  for (std::size_t i = 0; i < 3000; ++i) ASSERT_EQ(p[i], 0);
  std::memset(p, 0x5c, 3000);
  EXPECT_GE(mallard_malloc_usable_size(p), 3000u);
  p = static_cast<unsigned char*>(mallard_reallocarray(p, 1000, 300));
  ASSERT_NE(p, nullptr);
  for (std::size_t i = 0; i < 3000; ++i) ASSERT_EQ(p[i], 0x5c);
  mallard_free_sized(p, 300'000);
  for (const std::size_t alignment : {std::size_t{16}, std::size_t{64}, std::size_t{1} << 20}) {
    void* q = mallard_aligned_alloc(alignment, 100);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) % alignment, 0u);
    mallard_free_aligned_sized(q, alignment, 100);
    ASSERT_EQ(mallard_posix_memalign(&q, alignment, 100), 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) % alignment, 0u);
    EXPECT_EQ(mallard_realloc(q, 0), nullptr);
    q = mallard_memalign(alignment - 1, 100);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) % alignment, 0u);
    mallard_free(q);
  }
  errno = 0;
  EXPECT_EQ(mallard_malloc(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(malloc_prefixed, frees_what_other_threads_have_allocated) {
  std::vector<void*> blocks(10'000);
  std::thread([&] {
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = mallard_malloc(i % 500);
  }).join();
  for (void* const p : blocks) mallard_free(p);
  EXPECT_LT(mallard_unfreed_bytes(), std::size_t{1} << 20);
}

TEST(malloc_prefixed, of_a_plug_in_is_a_heap_of_its_own) {
  void* const plugin = dlopen(MALLARD_PLUGIN, RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(plugin, nullptr) << dlerror();
  const auto use_memory =
      reinterpret_cast<std::size_t (*)(std::size_t)>(dlsym(plugin, "use_memory"));
  void* const p = mallard_malloc(2 * big);
  EXPECT_GE(use_memory(big), big);
  EXPECT_LT(use_memory(big), 2 * big);
  mallard_free(p);
  EXPECT_EQ(dlclose(plugin), 0);
}

}  // namespace
