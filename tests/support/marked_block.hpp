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

inline void expect_unchanged(const marked_block& b) {
  const auto* const bytes = static_cast<const unsigned char*>(b.p);
  for (std::size_t i = 0; i < b.bytes; ++i) {
    if (bytes[i] != b.mark) {
      ADD_FAILURE() << "a block of " << b.bytes << " bytes was written to by another";
      return;
    }
  }
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
