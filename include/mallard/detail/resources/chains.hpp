// Purpose: bursts: chains of blocks that are allocated one by one, all or none; their largest size.
#pragma once

#include <cstddef>

#include "mallard/blocks.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/failure.hpp"

namespace mallard::inline v1::detail {

// User space has up to 56 bits of addresses. Larger bursts are refused before they take all memory.
inline constexpr std::size_t largest_burst_bytes =
    sizeof(void*) == 8 ? std::size_t{1} << 56 : ~std::size_t{0} / 2;

// Checks a request for `count` blocks of `bytes` bytes, each of which takes at least its alignment
// and the smallest class. Throws `std::bad_array_new_length`.
inline void check_burst(std::size_t count, std::size_t bytes, std::size_t alignment) {
  const std::size_t least = larger(alignment, smallest_class_bytes);
  if (count > largest_burst_bytes / larger(bytes, least)) fail_array_length();
}
inline void check_burst(const std::size_t* sizes, std::size_t count, std::size_t alignment) {
  std::size_t left = largest_burst_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = larger(sizes[i], alignment);
    if (bytes > left) fail_array_length();
    left -= bytes;
  }
}

// One block of each of the `count` sizes.
template <class Resource>
block_chain allocate_each(Resource& resource, const std::size_t* sizes, std::size_t count,
                          std::size_t alignment) {
  check_burst(sizes, count, alignment);
  block_chain chain;
  on_failure give_back([&] {
    for (std::size_t i = 0; !chain.empty(); ++i) {
      resource.deallocate(chain.pop_front(), sizes[i], alignment);
    }
  });
  // Every block has room for the link, whatever its size; a sanitizer must be told.
  for (std::size_t i = 0; i < count; ++i) {
    void* const p = resource.allocate(sizes[i], alignment);
    unpoison(p, sizeof(void*));
    chain.push_back(p);
  }
  give_back.succeeded();
  return chain;
}

// `count` blocks of one size, which has room for the link.
template <class Resource>
chain_ends allocate_equal(Resource& resource, std::size_t count, std::size_t bytes,
                          std::size_t alignment) {
  block_chain chain;
  on_failure give_back([&] { resource.deallocate_many(chain, bytes, alignment); });
  while (chain.size() < count) chain.push_back(resource.allocate(bytes, alignment));
  give_back.succeeded();
  return chain.empty() ? chain_ends() : chain_ends{chain.front(), chain.back()};
}

}  // namespace mallard::inline v1::detail
