// Pools of few blocks beside std's: how long each takes, in the median of interleaved rounds, and
// how many times as long as std's pool. A line of text each.
//   fresh_<nodes>, lists_<nodes>
//            a step of eight walks over each of many lists of 16, 64 or 256 nodes, each list on a
//            pool of its own, as they were filled, and after their nodes were replaced in random
//            order
//   strings  a pool over `new_delete_resource` that serves three strings in each of twenty classes
//   default  the same over each pool's own default upstream
//   block    a pool that serves one block of 256 bytes
//   fill     how much fits into 64 KiB, 256 KiB and 1 MiB of static storage until it is full:
//   elements
//            of an unordered_map, strings of 300 to 900 bytes, vectors of 3 KiB
// `small_pools fill` does only the last, which counts and needs no quiet machine. `small_pools life
// NODES TIMES` makes a pool, takes so many blocks of eight sizes, gives them back and drops the
// pool, so many times: for callgrind, from the difference of two runs.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <memory_resource>
#include <new>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mallard/heap.hpp"
#include "mallard/memory/static.hpp"
#include "mallard/multipool.hpp"
#include "measured.hpp"

namespace {

using mallard::bench::median;
using seconds = std::chrono::duration<double>;
constexpr int rounds = 21;

template <class Work>
double time_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return seconds(std::chrono::steady_clock::now() - start).count();
}

// 2^20 nodes in lists that lose their first node in random order, and get another at the end.
template <class Pool>
class many_lists {
 public:
  explicit many_lists(std::size_t nodes) {
    for (std::size_t i = 0; i < all_nodes / nodes; ++i) {
      all_.push_back(std::make_unique<one>());
      for (std::size_t n = 0; n < nodes; ++n) all_.back()->nodes.push_back(1);
    }
  }
  void replace_nodes() {
    std::mt19937 random(1);
    for (std::size_t i = 0; i < all_nodes * 5; ++i) {
      std::pmr::list<long>* from = nullptr;
      do from = &all_[random() % all_.size()]->nodes;
      while (from->empty());
      from->pop_front();
      all_[i % all_.size()]->nodes.push_back(1);
    }
  }
  double walk() {
    long steps = 0;
    const double taken = time_of([&] {
      for (const auto& list : all_) {
        for (int times = 0; times < 8; ++times) {
          for (long& value : list->nodes) steps += value;
        }
      }
    });
    return taken / static_cast<double>(steps);
  }

 private:
  static constexpr std::size_t all_nodes = std::size_t{1} << 20;
  struct one {
    Pool pool;
    std::pmr::list<long> nodes{&pool};
  };
  std::vector<std::unique_ptr<one>> all_;
};

template <class Pool, class... Upstream>
double strings(Upstream... upstream) {
  constexpr std::size_t sizes[] = {40,  48,  56,  64,  80,  96,  112, 128, 160, 192,
                                   224, 256, 320, 384, 448, 512, 640, 768, 896, 1000};
  constexpr int times = 200;
  return time_of([&] {
           for (int i = 0; i < times; ++i) {
             Pool pool(upstream...);
             void* blocks[std::size(sizes) * 3];
             for (std::size_t n = 0; n < std::size(blocks); ++n) {
               blocks[n] = pool.allocate(sizes[n % std::size(sizes)], 1);
               *static_cast<char*>(blocks[n]) = 1;
             }
             for (std::size_t n = 0; n < std::size(blocks); ++n) {
               pool.deallocate(blocks[n], sizes[n % std::size(sizes)], 1);
             }
           }
         }) /
         times;
}

template <class Pool>
double block() {
  constexpr int times = 2000;
  return time_of([&] {
           for (int i = 0; i < times; ++i) {
             Pool pool;
             void* const p = pool.allocate(256, 8);
             *static_cast<char*>(p) = 1;
             pool.deallocate(p, 256, 8);
           }
         }) /
         times;
}

template <class Ours, class Theirs>
void compare(const char* what, const Ours& ours, const Theirs& theirs) {
  std::vector<double> our_times;
  std::vector<double> their_times;
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) {
    our_times.push_back(ours());
    their_times.push_back(theirs());
    ratios.push_back(our_times.back() / their_times.back());
  }
  std::printf("small_pools multipool %s ns %.3g\n", what, 1e9 * median(our_times));
  std::printf("small_pools std %s ns %.3g\n", what, 1e9 * median(their_times));
  std::printf("small_pools multipool %s times_of_std %.3g\n", what, median(ratios));
}

std::size_t elements(std::pmr::memory_resource& from) {
  std::pmr::unordered_map<int, int> map(&from);
  try {
    for (int i = 0;; ++i) map.emplace(i, i);
  } catch (const std::bad_alloc&) {
    return map.size();
  }
}
template <std::size_t Least, std::size_t Most>
std::size_t blocks(std::pmr::memory_resource& from) {
  std::mt19937 random(1);
  std::size_t count = 0;
  try {
    for (;; ++count) static_cast<void>(from.allocate(Least + random() % (Most - Least + 1), 8));
  } catch (const std::bad_alloc&) {
    return count;
  }
}

void fill(const char* what, std::size_t (*fills)(std::pmr::memory_resource&)) {
  static std::byte storage[std::size_t{1} << 20];
  for (const std::size_t bytes :
       {std::size_t{1} << 16, std::size_t{1} << 18, std::size_t{1} << 20}) {
    const auto say = [&](const char* who, std::pmr::memory_resource& from) {
      std::printf("small_pools %s %s_%zuk blocks %zu\n", who, what, bytes >> 10, fills(from));
    };
    mallard::static_resource memory(storage, bytes);
    {
      mallard::multipool_resource pool(&memory);
      say("multipool", pool);
    }
    {
      mallard::heap_resource heap(&memory);
      say("heap", heap);
    }
    say("static", memory);
    std::pmr::monotonic_buffer_resource arena(storage, bytes, std::pmr::null_memory_resource());
    std::pmr::unsynchronized_pool_resource pool(&arena);
    say("std", pool);
  }
}

void live(std::size_t nodes, std::size_t times) {
  constexpr std::size_t sizes[] = {16, 24, 32, 48, 64, 96, 128, 256};
  std::vector<void*> all(nodes);
  for (; times != 0; --times) {
    mallard::multipool_resource pool;
    for (std::size_t n = 0; n < nodes; ++n) all[n] = pool.allocate(sizes[n % 8], 8);
    for (std::size_t n = 0; n < nodes; ++n) pool.deallocate(all[n], sizes[n % 8], 8);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && argv[1] == std::string_view("life")) {
    live(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
    return 0;
  }
  fill("map", &elements);
  fill("strings", &blocks<300, 900>);
  fill("vectors", &blocks<3072, 3072>);
  if (argc > 1 && argv[1] == std::string_view("fill")) return 0;
  using ours = mallard::multipool_resource;
  using theirs = std::pmr::unsynchronized_pool_resource;
  std::pmr::memory_resource* const global = std::pmr::new_delete_resource();
  compare(
      "strings", [&] { return strings<ours>(global); }, [&] { return strings<theirs>(global); });
  compare("default", [&] { return strings<ours>(); }, [&] { return strings<theirs>(); });
  compare("block", [] { return block<ours>(); }, [] { return block<theirs>(); });
  for (const std::size_t nodes : {16u, 64u, 256u}) {
    many_lists<ours> a(nodes);
    many_lists<theirs> b(nodes);
    const auto walks = [&](const char* what) {
      const std::string name = what + std::to_string(nodes);
      compare(name.c_str(), [&] { return a.walk(); }, [&] { return b.walk(); });
    };
    walks("fresh_");
    a.replace_nodes();
    b.replace_nodes();
    walks("lists_");
  }
}
