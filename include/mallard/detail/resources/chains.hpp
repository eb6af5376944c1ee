// Purpose: chains of blocks that are allocated one by one, all or none.
#pragma once

#include <cstddef>

#include "mallard/blocks.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/failure.hpp"

namespace mallard::inline v1::detail {

// One block of each of the `count` sizes.
template <class Resource>
block_chain allocate_each(Resource& resource, const std::size_t* sizes, std::size_t count,
                          std::size_t alignment) {
  block_chain chain;
  on_failure give_back([&] {
    for (std::size_t i = 0; !chain.empty(); ++i) {
      resource.deallocate(chain.pop_front(), sizes[i], alignment);
    }
  });
  // A block has room for the link whatever its size; a sanitizer has to be told.
  for (std::size_t i = 0; i < count; ++i) {
    void* const p = resource.allocate(sizes[i], alignment);
    unpoison(p, sizeof(void*));
    chain.push_back(p);
  }
  give_back.succeeded();
  return chain;
}

// `count` blocks of one size that has room for the link.
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
