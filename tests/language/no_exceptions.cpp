// Compiled with -fno-exceptions. `try`: what returns null works. The others fail where an exception
// would be thrown, and std::terminate's handler is called.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <list>
#include <memory_resource>
#include <vector>

#include "every_header.hpp"

namespace {

constexpr std::size_t too_much = std::size_t{1} << 60;

[[noreturn]] void call_off() {
  std::_Exit(0);
}

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

template <class Resource>
void try_all(Resource& resource, const char* name) {
  void* const p = resource.try_allocate(100, 8);
  expect(p != nullptr, name);
  resource.deallocate(p, 100, 8);
  expect(resource.try_allocate(too_much, 8) == nullptr, name);
  void* const again = resource.try_allocate(100, 8);
  expect(again != nullptr, name);
  resource.deallocate(again, 100, 8);
}

void try_everything() {
  mallard::monotonic_resource monotonic;
  mallard::buffered_resource<256> buffered;
  mallard::reserved_resource reserved;
  mallard::multipool_resource multipool;
  mallard::synchronized_multipool_resource synchronized_multipool;
  mallard::adaptive_pool_resource adaptive({.block_bytes = 24});
  mallard::heap_resource heap;
  mallard::synchronized_heap_resource synchronized_heap;
  mallard::synchronized<mallard::monotonic_resource> locked;
  mallard::fallback_resource both(&multipool, &heap);
  mallard::segregating_resource by_size(100, &multipool, &heap);
  mallard::failure_callback_resource callback([](std::size_t, std::size_t) { return false; });
  mallard::scratch_scope scratch;
  try_all(monotonic, "monotonic");
  try_all(buffered, "buffered");
  try_all(reserved, "reserved");
  try_all(multipool, "multipool");
  try_all(synchronized_multipool, "synchronized multipool");
  try_all(adaptive, "adaptive pool");
  try_all(heap, "heap");
  try_all(synchronized_heap, "synchronized heap");
  try_all(locked, "synchronized");
  try_all(both, "fallback");
  try_all(by_size, "segregating");
  try_all(callback, "failure callback");
  try_all(scratch, "scratch");
  try_all(*mallard::page_source::instance(), "page source");
  const mallard::sized_block block = heap.try_allocate_expandable(too_much, too_much);
  expect(block.p == nullptr, "expandable");
  // And what does not fail is as it is elsewhere.
  std::pmr::vector<int> by_base(1000, 7, &multipool);
  std::list<int, mallard::allocator<int, mallard::multipool_resource>> by_type(100, 7, &multipool);
  auto owned = mallard::allocate_unique<std::pmr::vector<int>>(multipool, 10u, 1);
  mallard::block_chain chain = heap.allocate_many(10, 24);
  heap.deallocate_many(chain, 24);
  auto& made = *mallard::make<std::pmr::vector<int>>(monotonic, 10u, 1);
  expect(made.size() + owned->size() == 20, "make and allocate_unique");
}

}  // namespace

int main(int argc, char** argv) {
  const char* const way = argc == 2 ? argv[1] : "";
  if (std::strcmp(way, "try") == 0) {
    try_everything();
    return 0;
  }
  std::set_terminate(call_off);
  mallard::reserved_resource small({.reserve_bytes = 1 << 20});
  if (std::strcmp(way, "by_type") == 0) {
    (void)small.allocate(2 << 20, 8);
  } else if (std::strcmp(way, "by_base") == 0) {
    std::pmr::memory_resource& base = small;
    (void)base.allocate(2 << 20, 8);
  } else if (std::strcmp(way, "array_length") == 0) {
    mallard::allocator<long, mallard::reserved_resource> a(&small);
    (void)a.allocate(too_much * 8);
  }
  std::fprintf(stderr, "nothing called the handler: %s\n", way);
  return 1;
}
