// The examples are each built three times: as anybody would write them, with the resource that
// `mallard advise` names put in by hand (MALLARD_BY_HAND), and with a scope of the malloc in the
// place of that resource (MALLARD_IN_SCOPE). What differs is here and in the one line of each
// example that makes its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#if defined(MALLARD_IN_SCOPE)
#include "mallard/malloc/malloc_scope.hpp"
#endif

namespace example {

#if defined(MALLARD_BY_HAND)

inline constexpr bool by_hand = true;
namespace containers = std::pmr;

// A resource, and what containers are made with.
template <class Resource>
class memory {
 public:
  memory() = default;
  explicit memory(std::size_t first_bytes) : resource_(first_bytes) {}
  std::pmr::polymorphic_allocator<> get() { return &resource_; }

 private:
  Resource resource_;
};
using allocator = std::pmr::polymorphic_allocator<>;

#else

inline constexpr bool by_hand = false;
namespace containers = std;

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

// How much is done: the first argument, or what takes about a second.
inline std::uint64_t amount(int argc, char** argv, std::uint64_t usual) {
  return argc > 1 ? std::strtoull(argv[1], nullptr, 10) : usual;
}

// Both versions have to find the same.
inline int tell(std::uint64_t found) {
  std::printf("%llu\n", static_cast<unsigned long long>(found));
  return 0;
}

}  // namespace example
