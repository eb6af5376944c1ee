// Purpose: what assertions cost a program of an installed library, to be counted by callgrind: see
// assertions.sh.
#include <functional>
#include <list>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "mallard/adaptive_pool.hpp"
#include "mallard/allocator.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_heap.hpp"

// Not in a namespace without name: callgrind looks for the functions by their symbols.
constexpr int rounds = 20'000;
constexpr int blocks_alive = 1000;

// Without it a call at a function's end becomes a jump, and callgrind misses the function's end.
void end_here() {
  asm volatile("" : : : "memory");
}

// Node containers by type, each with a resource of its own.
template <class R>
[[gnu::noinline]] void count_nodes(R& of_list, R& of_map) {
  {
    std::list<int, mallard::allocator<int, R>> list(&of_list);
    std::map<int, int, std::less<>, mallard::allocator<std::pair<const int, int>, R>> map(&of_map);
    for (int i = 0; i < rounds; ++i) {
      list.push_back(i);
      map[i * 7919 % rounds] = i;
    }
  }
  end_here();
}

// A block that is given back at once.
template <class R>
[[gnu::noinline]] void count_pairs(R& r) {
  for (int i = 0; i < rounds; ++i) {
    void* const p = r.allocate(64, 8);
    asm volatile("" : : "r"(p) : "memory");
    r.deallocate(p, 64, 8);
  }
  end_here();
}

// Blocks that are given back in another order than they came.
template <class R>
[[gnu::noinline]] void count_random(R& r, std::vector<void*>& blocks) {
  for (void* const p : blocks) r.deallocate(p, 64, 8);
  for (void*& p : blocks) p = r.allocate(64, 8);
  end_here();
}

template <class R>
void run(std::string_view loop) {
  R of_list, of_map;
  if (loop == "nodes") return count_nodes(of_list, of_map);
  R r;
  std::vector<void*> blocks(blocks_alive);
  for (void*& p : blocks) p = r.allocate(64, 8);
  if (loop == "pairs") return count_pairs(r);
  unsigned random = 1;
  for (int round = 0; round < rounds / blocks_alive; ++round) {
    for (std::size_t i = blocks.size() - 1; i > 0; --i) {
      random = random * 1103515245 + 12345;
      std::swap(blocks[i], blocks[(random >> 8) % (i + 1)]);
    }
    count_random(r, blocks);
  }
}

int main(int, char** argv) {
  const std::string_view resource = argv[2];
  if (resource == "multipool") run<mallard::multipool_resource>(argv[1]);
  if (resource == "adaptive_pool") run<mallard::adaptive_pool_resource>(argv[1]);
  if (resource == "synchronized_heap") run<mallard::synchronized_heap_resource>(argv[1]);
}
