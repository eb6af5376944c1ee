// Blocks that are filled when they are allocated and looked at when they are given back.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory_resource>

namespace mallard_test {

struct marked_block {
  void* p;
  std::size_t bytes;
  unsigned char mark;
};

// The first byte is as it was, and each as the one before it: quick in builds that are not
// optimised, too.
inline bool is_unchanged(const marked_block& b) {
  const auto* const bytes = static_cast<const unsigned char*>(b.p);
  return b.bytes == 0 || (*bytes == b.mark && std::memcmp(bytes, bytes + 1, b.bytes - 1) == 0);
}

inline void expect_unchanged(const marked_block& b) {
  EXPECT_TRUE(is_unchanged(b)) << "a block of " << b.bytes << " bytes was written to by another";
}

inline marked_block take(std::pmr::memory_resource& resource, std::size_t bytes,
                         unsigned char mark) {
  void* const p = resource.allocate(bytes);
  std::memset(p, mark, bytes);
  return {p, bytes, mark};
}

inline void give(std::pmr::memory_resource& resource, const marked_block& b) {
  expect_unchanged(b);
  resource.deallocate(b.p, b.bytes);
}

}  // namespace mallard_test
