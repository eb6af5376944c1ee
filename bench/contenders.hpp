// Purpose: the allocators that the micro-benchmarks compare, behind one duck-typed interface.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>

#include "mallard/mallard.hpp"
#include "measured.hpp"

#ifdef MALLARD_HAS_BOOST
#include <boost/container/pmr/unsynchronized_pool_resource.hpp>
#endif

namespace mallard::bench {

template <class Resource>
struct direct {
  Resource resource;
  void* allocate(std::size_t bytes, std::size_t alignment) {
    return resource.allocate(bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
    resource.deallocate(p, bytes, alignment);
  }
};

template <class Resource>
struct by_base {
  Resource resource;
  std::pmr::memory_resource* base = laundered<std::pmr::memory_resource>(&resource);
  void* allocate(std::size_t bytes, std::size_t alignment) {
    return base->allocate(bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
    base->deallocate(p, bytes, alignment);
  }
};

struct global_heap {
  void* allocate(std::size_t bytes, std::size_t) { return ::operator new(bytes); }
  void deallocate(void* p, std::size_t bytes, std::size_t) { ::operator delete(p, bytes); }
};

// The least a free list can do: blocks of one size, threaded through themselves, never refilled.
class ideal_list {
 public:
  ideal_list() {
    for (std::size_t i = 0; i < count; ++i) deallocate(blocks_ + i * block_bytes, 0, 0);
  }
  void* allocate(std::size_t, std::size_t) {
    node* const n = head_;
    head_ = n->next;
    return n;
  }
  void deallocate(void* p, std::size_t, std::size_t) { head_ = ::new (p) node{head_}; }

 private:
  struct node {
    node* next;
  };
  static constexpr std::size_t block_bytes = 24;
  static constexpr std::size_t count = 1 << 16;
  node* head_ = nullptr;
  alignas(64) static inline std::byte blocks_[block_bytes * count];
};

// The least a bump allocator can do: a cursor, an end, natural alignment.
class ideal_bump {
 public:
  void* allocate(std::size_t bytes, std::size_t) {
    if (bytes > static_cast<std::size_t>(end_ - cursor_)) throw std::bad_alloc();
    void* const p = cursor_;
    cursor_ += bytes;
    return p;
  }
  void rewind() { cursor_ = block_; }

 private:
  static constexpr std::size_t size = 1 << 20;
  alignas(64) static inline std::byte block_[size];
  std::byte* cursor_ = block_;
  std::byte* end_ = block_ + size;
};

}  // namespace mallard::bench
