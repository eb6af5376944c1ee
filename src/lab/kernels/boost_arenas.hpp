// Boost's extended allocators as arenas: those of a kind share one heap or pool.
#pragma once

#include <optional>

#include "lab/kernels/boost_containers.hpp"
#include "lab/kernels/counting.hpp"
#include "lab/kernels/memory_account.hpp"

namespace mallard::lab {

// `Allocator<T>` is default-constructible. Its memory comes from Boost's heap, which can be
// queried.
template <template <class> class Allocator, unsigned CapableOf = 0>
struct boost_arena {
  static constexpr unsigned capable_of = CapableOf;

  template <class T>
  Allocator<T> make_allocator() {
    return {};
  }
  template <class Container>
  std::optional<memory_account> account(const Container&) const {
    const auto now = boost::container::dlmalloc_malloc_stats();
    return memory_account{now.in_use_bytes, now.system_bytes};
  }
};

template <class T>
using boost_v1 = boost::container::allocator<T, 1>;
template <class T>
using boost_v2 = boost::container::allocator<T, 2>;
template <class T>
using boost_v2_none =
    boost::container::allocator<T, 2, BOOST_CONTAINER_EXPAND_FWD | BOOST_CONTAINER_EXPAND_BWD>;
template <class T>
using boost_v2_forward = boost::container::allocator<T, 2, BOOST_CONTAINER_EXPAND_BWD>;
template <class T>
using boost_v2_backward = boost::container::allocator<T, 2, BOOST_CONTAINER_EXPAND_FWD>;

// The article's pools: 256 nodes in a block, two free blocks kept, 2 % overhead.
template <class T>
using boost_adaptive = boost::container::adaptive_pool<T, 256, 2, 2, 2>;
template <class T>
using boost_adaptive_v1 = boost::container::adaptive_pool<T, 256, 2, 2, 1>;
template <class T>
using boost_own_adaptive = boost::container::private_adaptive_pool<T, 256, 2, 2, 2>;
template <class T>
using boost_node = boost::container::node_allocator<T, 256>;
template <class T>
using boost_fast_pool = boost::fast_pool_allocator<T>;

// Boost.Pool takes memory from operator new and cannot be queried.
struct fast_pool_arena : boost_arena<boost_fast_pool> {
  template <class Container>
  std::optional<memory_account> account(const Container&) const {
    return std::nullopt;
  }
};

}  // namespace mallard::lab
