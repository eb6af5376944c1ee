// Purpose: chains of blocks that are allocated one by one, all or none.
#pragma once

#include <cstddef>
#include <span>

#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/block_chain.hpp"

namespace mallard::inline v1::detail {

// One block of each size.
template <class Resource>
block_chain allocate_each(Resource& resource, std::span<const std::size_t> sizes,
                          std::size_t alignment) {
  block_chain chain;
  try {
    // A block has room for the link whatever its size; a sanitizer has to be told.
    for (const std::size_t bytes : sizes) {
      void* const p = resource.allocate(bytes, alignment);
      unpoison(p, sizeof(void*));
      chain.push_back(p);
    }
  } catch (...) {
    for (const std::size_t bytes : sizes.first(chain.size())) {
      resource.deallocate(chain.pop_front(), bytes, alignment);
    }
    throw;
  }
  return chain;
}

// `count` blocks of one size that has room for the link.
template <class Resource>
chain_ends allocate_each(Resource& resource, std::size_t count, std::size_t bytes,
                         std::size_t alignment) {
  block_chain chain;
  try {
    while (chain.size() < count) chain.push_back(resource.allocate(bytes, alignment));
  } catch (...) {
    resource.deallocate_many(chain, bytes, alignment);
    throw;
  }
  return chain.empty() ? chain_ends() : chain_ends{chain.front(), chain.back()};
}

}  // namespace mallard::inline v1::detail
