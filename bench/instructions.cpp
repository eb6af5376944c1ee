// Purpose: operations to be counted by callgrind, each in a function of its own. For the whole
// table: bench/instructions.sh.
//
//   valgrind --tool=callgrind --callgrind-out-file=/dev/null
//     --toggle-collect='*count_direct_allocate*' mallard_instructions pairs multipool
// prints "Collected : I"; I / iterations is the instructions per call, return included.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "mallard/checks/counting_resource.hpp"
#include "mallard/checks/synchronized_counting_resource.hpp"
#include "mallard/mallard.hpp"
#include "mallard/memory/mapped.hpp"
#include "mallard/memory/shared.hpp"
#include "mallard/memory/static.hpp"
#include "mixed_sizes.hpp"

namespace {

constexpr std::size_t node_bytes = 24;
constexpr std::size_t node_alignment = 8;
constexpr std::size_t array_bytes = 200;
constexpr long iterations = 1'000'000;

template <class R>
[[gnu::noinline]] void* count_direct_allocate(R& r) {
  return r.allocate(node_bytes, node_alignment);
}
template <class R>
[[gnu::noinline]] void count_direct_deallocate(R& r, void* p) {
  r.deallocate(p, node_bytes, node_alignment);
}
[[gnu::noinline]] void* count_base_allocate(std::pmr::memory_resource& r) {
  return r.allocate(node_bytes, node_alignment);
}
[[gnu::noinline]] void count_base_deallocate(std::pmr::memory_resource& r, void* p) {
  r.deallocate(p, node_bytes, node_alignment);
}
template <class R>
[[gnu::noinline]] void* count_array_allocate(R& r) {
  return r.allocate_at_least(array_bytes).p;
}
template <class R>
[[gnu::noinline]] void count_array_expand(R& r, void* p) {
  static_cast<void>(r.try_expand(p, array_bytes, 2 * array_bytes));
}
template <class R>
[[gnu::noinline]] void count_array_deallocate(R& r, void* p) {
  r.deallocate_expandable(p);
}

// Many resources: the first and second use of each by one thread, by another, and its end.
template <class R>
using resources = std::vector<std::unique_ptr<R>>;
template <class R>
void use(resources<R>& all) {
  for (auto& one : all)
    one->deallocate(one->allocate(node_bytes, node_alignment), node_bytes, node_alignment);
}
// The statements keep the compiler from making one function of the three.
template <class R>
[[gnu::noinline]] void count_first_use(resources<R>& all) {
  asm volatile("# first");
  use(all);
}
template <class R>
[[gnu::noinline]] void count_next_use(resources<R>& all) {
  asm volatile("# next");
  use(all);
}
template <class R>
[[gnu::noinline]] void count_other_thread(resources<R>& all) {
  asm volatile("# other");
  use(all);
}
template <class R>
[[gnu::noinline]] void count_all_destroyed(resources<R>& all) {
  for (auto& one : all) one.reset();
}

// Counting costs the difference to `multipool` by base.
template <class Counter>
class counted_pool {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) {
    return counter_.allocate(bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
    counter_.deallocate(p, bytes, alignment);
  }
  operator std::pmr::memory_resource&() { return counter_; }

 private:
  mallard::multipool_resource pool_;
  Counter counter_{&pool_};
};

template <class R, class Allocate, class Deallocate>
void pairs(R& resource, Allocate allocate, Deallocate deallocate) {
  for (long i = 0; i < iterations; ++i) deallocate(resource, allocate(resource));
}

// Batches keep the pool's hot block out of the picture: nearly every call takes the longer way.
template <class R, class Allocate, class Deallocate>
void batches(R& resource, Allocate allocate, Deallocate deallocate) {
  constexpr long batch = 1000;
  static void* live[batch];
  for (long i = 0; i < iterations; i += batch) {
    for (void*& p : live) p = allocate(resource);
    for (void* p : live) deallocate(resource, p);
  }
}

[[gnu::noinline]] void* count_sized_allocate(std::pmr::memory_resource& r, std::size_t bytes) {
  return r.allocate(bytes, node_alignment);
}
[[gnu::noinline]] void count_sized_deallocate(std::pmr::memory_resource& r, void* p,
                                              std::size_t bytes) {
  r.deallocate(p, bytes, node_alignment);
}

// A program's nodes, strings and arrays: of 10,000 live blocks one after the other is replaced.
void mixed(std::pmr::memory_resource& resource) {
  std::vector<std::pair<void*, std::size_t>> live(10'000);
  mixed_sizes next;
  for (auto& [p, bytes] : live) p = resource.allocate(bytes = next(), node_alignment);
  for (long i = 0; i < iterations; ++i) {
    auto& [p, bytes] = live[next.random(live.size())];
    count_sized_deallocate(resource, p, bytes);
    p = count_sized_allocate(resource, bytes = next());
  }
  for (const auto& [p, bytes] : live) resource.deallocate(p, bytes, node_alignment);
}

// A block that grows to twice its size, and goes.
template <class R>
void arrays(R& resource) {
  for (long i = 0; i < iterations; ++i) {
    void* const p = count_array_allocate(resource);
    count_array_expand(resource, p);
    count_array_deallocate(resource, p);
  }
}

template <class R>
void many(std::size_t count) {
  resources<R> all(count);
  for (auto& one : all) one = std::make_unique<R>();
  count_first_use(all);
  count_next_use(all);
  std::thread([&] { count_other_thread(all); }).join();
  count_all_destroyed(all);
}

// Returns the iterations of the loop; 0 when there is none of this name.
template <class R>
long run(std::string_view loop) {
  for (const long count : {2'000, 8'000, 32'000}) {
    if (loop != "many_" + std::to_string(count)) continue;
    many<R>(static_cast<std::size_t>(count));
    return count;
  }
  R resource;
  std::pmr::memory_resource* base = &static_cast<std::pmr::memory_resource&>(resource);
  asm volatile("" : "+r"(base));
  if (loop == "pairs") {
    pairs(resource, count_direct_allocate<R>, count_direct_deallocate<R>);
    pairs(*base, count_base_allocate, count_base_deallocate);
    return iterations;
  }
  if (loop == "pairs_with_threads") {
    std::atomic<bool> done = false;
    std::thread other([&] { done.wait(false); });
    pairs(resource, count_direct_allocate<R>, count_direct_deallocate<R>);
    pairs(*base, count_base_allocate, count_base_deallocate);
    done = true;
    done.notify_one();
    other.join();
    return iterations;
  }
  if (loop == "batches") {
    batches(resource, count_direct_allocate<R>, count_direct_deallocate<R>);
    batches(*base, count_base_allocate, count_base_deallocate);
    return iterations;
  }
  if (loop == "mixed") {
    mixed(*base);
    return iterations;
  }
  if constexpr (requires { resource.allocate_at_least(array_bytes); }) {
    if (loop == "arrays") {
      arrays(resource);
      return iterations;
    }
  }
  return 0;
}

constinit mallard::static_storage<std::size_t{64} << 20> storage;

class static_bytes {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) {
    return resource_.allocate(bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
    resource_.deallocate(p, bytes, alignment);
  }
  operator std::pmr::memory_resource&() { return resource_; }

 private:
  mallard::static_resource& resource_ = storage.resource();
};

long run(std::string_view loop, std::string_view resource) {
  if (resource == "monotonic") return run<mallard::monotonic_resource>(loop);
  if (resource == "multipool") return run<mallard::multipool_resource>(loop);
  if (resource == "adaptive_pool") return run<mallard::adaptive_pool_resource>(loop);
  if (resource == "heap") return run<mallard::heap_resource>(loop);
  if (resource == "synchronized_multipool") {
    return run<mallard::synchronized_multipool_resource>(loop);
  }
  if (resource == "synchronized_heap") return run<mallard::synchronized_heap_resource>(loop);
  if (resource == "counting") return run<counted_pool<mallard::counting_resource>>(loop);
  if (resource == "synchronized_counting") {
    return run<counted_pool<mallard::synchronized_counting_resource>>(loop);
  }
  if (resource == "static") return run<static_bytes>(loop);
  if (resource == "mapped") return run<mallard::mapped_resource>(loop);
  if (resource == "shared") return run<mallard::shared_resource>(loop);
  if (resource == "synchronized") {
    return run<mallard::synchronized<mallard::multipool_resource>>(loop);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const long done = argc == 3 ? run(argv[1], argv[2]) : 0;
  if (done == 0) {
    std::fprintf(
        stderr,
        "usage: %s LOOP RESOURCE   (prints its iterations)\n"
        "  pairs batches mixed arrays many_2000 many_8000 many_32000\n"
        "  pairs_with_threads: while there is another one, which waits\n"
        "  monotonic multipool adaptive_pool heap synchronized_multipool synchronized_heap shared\n"
        "  static: of 64 MiB; mapped\n"
        "  synchronized: a multipool behind a lock\n"
        "  counting synchronized_counting: of a multipool by base\n"
        "  arrays: of the heaps alone\n"
        "  many_*: so many resources, for threads\n",
        argv[0]);
    return 2;
  }
  std::printf("%ld\n", done);
}
