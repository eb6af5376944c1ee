// Purpose: the heaps of blocks of any size that are compared, behind one duck-typed interface.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <cstdlib>

#include "mallard/mallard.hpp"

#ifdef MALLARD_HAS_BOOST
#include <boost/container/detail/dlmalloc.hpp>
#endif

namespace mallard::bench {

template <class Heap>
struct own_heap {
  Heap heap;
  void* allocate(std::size_t bytes) { return heap.allocate(bytes); }
  void deallocate(void* p, std::size_t bytes) { heap.deallocate(p, bytes); }
  void trim() { heap.trim(); }
};

struct global_malloc {
  void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  void deallocate(void* p, std::size_t) { std::free(p); }
  void trim() { malloc_trim(0); }
};

#ifdef MALLARD_HAS_BOOST
struct boost_dlmalloc {
  void* allocate(std::size_t bytes) { return boost::container::dlmalloc_malloc(bytes); }
  void deallocate(void* p, std::size_t) { boost::container::dlmalloc_free(p); }
  void trim() { boost::container::dlmalloc_trim(0); }
};
#endif

}  // namespace mallard::bench
