// The examples are each built four times: as anybody would write them; with memory resources put in
// by hand, bound by abstract base (MALLARD_BY_HAND); with the one that suits the place bound by
// type (MALLARD_BY_TYPE is its name), or to the thread by examples whose containers are small
// (EXAMPLE_BINDS_ITS_THREAD); and with a scope of the malloc in their place
// (MALLARD_IN_SCOPE). The difference is here and in the one line of each example that makes its
// memory. That line names the resource that suits the place. By base, MALLARD_STRATEGY=multipool in
// the environment puts another one there, and the program ends with status 3 where that cannot be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <scoped_allocator>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

#include "mallard/adaptive_pool.hpp"
#include "mallard/allocator.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "mallard/thread_bound.hpp"
#if defined(MALLARD_IN_SCOPE)
#include "mallard/malloc/malloc_scope.hpp"
#endif

namespace example {

#if defined(MALLARD_BY_HAND)

namespace containers = std::pmr;
using resource = std::pmr::memory_resource;
template <class T>
using allocator_of = std::pmr::polymorphic_allocator<T>;

inline std::string_view strategy_from_environment() {
  const char* const wanted = std::getenv("MALLARD_STRATEGY");
  return wanted == nullptr ? "" : wanted;
}

struct pool_on_arena {
  mallard::monotonic_resource arena;
  mallard::multipool_resource pool{&arena};
};

// Memory of one place, and what containers are made with. `Usual` is the resource that suits it: a
// monotonic one says that all of it dies at the end of the scope, a synchronized one that several
// threads use it. Pools of a scope outlive it, since making one takes longer than a block.
template <class Usual>
class memory {
 public:
  memory() : memory(0) {}
  explicit memory(std::size_t first_bytes) {
    static const std::string_view wanted = strategy_from_environment();
    constexpr bool ends = std::is_same_v<Usual, mallard::monotonic_resource>;
    constexpr bool shared = std::is_same_v<Usual, mallard::synchronized_multipool_resource> ||
                            std::is_same_v<Usual, mallard::synchronized_heap_resource>;
    if (wanted.empty()) {
      own<Usual>(first_bytes);
      return;
    }
    if (ends && wanted == "monotonic") {
      own<mallard::monotonic_resource>(first_bytes);
      return;
    }
    if (ends && wanted == "multipool-on-monotonic") {
      at_ = &own_.template emplace<pool_on_arena>().pool;
    } else if (!shared && wanted == "multipool") {
      keep<mallard::multipool_resource>(ends);
    } else if (!shared && wanted == "heap") {
      keep<mallard::heap_resource>(ends);
    } else if (!shared && wanted == "adaptive-pool") {
      keep<mallard::adaptive_pool_resource>(ends);
    } else if (shared && wanted == "synchronized-multipool") {
      keep<mallard::synchronized_multipool_resource>(false);
    } else if (shared && wanted == "synchronized-heap") {
      keep<mallard::synchronized_heap_resource>(false);
    } else {
      std::exit(3);
    }
  }
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  std::pmr::polymorphic_allocator<> get() { return at_; }

 private:
  template <class Resource>
  void own(std::size_t first_bytes) {
    if constexpr (std::is_constructible_v<Resource, std::size_t>) {
      if (first_bytes != 0) {
        at_ = &own_.template emplace<Resource>(first_bytes);
        return;
      }
    }
    at_ = &own_.template emplace<Resource>();
  }
  template <class Resource>
  void keep(bool outlives_scope) {
    if (!outlives_scope) return own<Resource>(0);
    thread_local Resource& of_thread = *new Resource;  // blocks may outlive the thread's others
    at_ = &of_thread;
  }

  std::variant<std::monostate, mallard::monotonic_resource, pool_on_arena,
               mallard::multipool_resource, mallard::heap_resource, mallard::adaptive_pool_resource,
               mallard::synchronized_multipool_resource, mallard::synchronized_heap_resource>
      own_;
  std::pmr::memory_resource* at_ = nullptr;
};
using allocator = std::pmr::polymorphic_allocator<>;

#elif defined(MALLARD_BY_TYPE)

using resource = MALLARD_BY_TYPE;
#if defined(EXAMPLE_BINDS_ITS_THREAD)
template <class T>
using allocator_of = mallard::thread_bound_allocator<T, resource>;
using allocator = allocator_of<std::byte>;
#else
using allocator = mallard::allocator<std::byte, resource>;
// Elements that are containers get the resource, too.
template <class T>
using allocator_of = std::scoped_allocator_adaptor<mallard::allocator<T, resource>>;
#endif

namespace containers {

using string = std::basic_string<char, std::char_traits<char>, allocator_of<char>>;
struct string_hash {
  std::size_t operator()(const string& text) const noexcept {
    return std::hash<std::string_view>()(text);
  }
};
template <class Key>
using hash = std::conditional_t<std::is_same_v<Key, string>, string_hash, std::hash<Key>>;

template <class T>
using vector = std::vector<T, allocator_of<T>>;
template <class T>
using list = std::list<T, allocator_of<T>>;
template <class Key, class T>
using map = std::map<Key, T, std::less<Key>, allocator_of<std::pair<const Key, T>>>;
template <class Key, class T>
using multimap = std::multimap<Key, T, std::less<Key>, allocator_of<std::pair<const Key, T>>>;
template <class Key, class T>
using unordered_map = std::unordered_map<Key, T, hash<Key>, std::equal_to<Key>,
                                         allocator_of<std::pair<const Key, T>>>;

}  // namespace containers

template <class Usual>
class memory {
 public:
  memory() = default;
  explicit memory(std::size_t first_bytes) : own_(first_bytes) {}
#if defined(EXAMPLE_BINDS_ITS_THREAD)
  allocator get() { return {}; }
#else
  allocator get() { return own_; }
#endif

 private:
  Usual own_;
#if defined(EXAMPLE_BINDS_ITS_THREAD)
  mallard::thread_binding<resource> binding_{own_};
#endif
};

#else

namespace containers = std;
template <class T>
using allocator_of = std::allocator<T>;

// Whatever container is made with it has the standard allocator.
struct allocator {
  template <class T>
  operator std::allocator<T>() const noexcept {
    return {};
  }
};
template <class>
struct memory {
  memory() = default;
  explicit memory(std::size_t) {}
  allocator get() const { return {}; }
#if defined(MALLARD_IN_SCOPE)
  mallard::malloc_scope scope;
#endif
};

#endif

// The same numbers in every run and on every machine.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return (*this)() % limit; }

 private:
  std::uint64_t state_;
};

// The amount of work: the first argument, or as much as takes about a second.
inline std::uint64_t amount(int argc, char** argv, std::uint64_t usual) {
  return argc > 1 ? std::strtoull(argv[1], nullptr, 10) : usual;
}

// Both versions have to find the same.
inline int tell(std::uint64_t found) {
  std::printf("%llu\n", static_cast<unsigned long long>(found));
  return 0;
}

// `prefix` + std::to_string(number), with the memory of its place: also a string that lives for a
// line is one of the containers that take the resource.
inline containers::string numbered(std::string_view prefix, std::uint64_t number,
                                   const allocator& from) {
  containers::string out(std::string_view(std::to_string(number)), from);
  out.insert(0, prefix);
  return out;
}

// Adds up what each round finds.
template <class Round>
int sum_of_rounds(int argc, char** argv, std::uint64_t usual, const Round& round) {
  std::uint64_t found = 0;
  const std::uint64_t rounds = amount(argc, argv, usual);
  for (std::uint64_t i = 0; i < rounds; ++i) found += round(i);
  return tell(found);
}

}  // namespace example
