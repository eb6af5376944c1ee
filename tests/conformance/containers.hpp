// The standard containers, filled and emptied over an allocator.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory_resource>
#include <scoped_allocator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mallard/allocator.hpp"
#include "support/instrumented.hpp"
#include "support/require.hpp"

namespace conformance {

inline constexpr int container_elements = 300;

// Elements 0, 1, 2…; then every second one is erased, and the rest must still be there.
template <class Sequence>
void use_sequence(Sequence sequence) {
  for (int i = 0; i < container_elements; ++i) sequence.push_back(i);
  int expected = 0;
  for (auto at = sequence.begin(); at != sequence.end(); expected += 2) {
    mallard_test::require(*at == expected, "a sequence lost element ", expected);
    at = sequence.erase(at);
    ++at;
  }
  mallard_test::require(expected == container_elements, "a sequence has a wrong size");
}

template <class Map>
void use_map(Map map) {
  for (int i = 0; i < container_elements; ++i) map.emplace(i, i * i);
  for (int i = 0; i < container_elements; i += 2) map.erase(i);
  for (int i = 1; i < container_elements; i += 2) {
    mallard_test::require(map.at(i) == i * i, "a map lost element ", i);
  }
}

// Allocator<T> is constructed from `source`. NestedAllocator<T> hands its resource on to elements
// that use an allocator themselves.
template <template <class> class Allocator, template <class> class NestedAllocator, class Resource>
void use_containers(Resource* source) {
  using pair = std::pair<const int, int>;
  use_sequence(std::vector<int, Allocator<int>>(Allocator<int>(source)));
  use_map(std::map<int, int, std::less<>, Allocator<pair>>(Allocator<pair>(source)));
  // The others ask a resource for nothing else, and sanitizers make much of their code.
  if constexpr (!mallard_test::instrumented) {
    use_sequence(std::list<int, Allocator<int>>(Allocator<int>(source)));
    use_sequence(std::deque<int, Allocator<int>>(Allocator<int>(source)));
    use_map(std::unordered_map<int, int, std::hash<int>, std::equal_to<>, Allocator<pair>>(
        Allocator<pair>(source)));
  }

  using string = std::basic_string<char, std::char_traits<char>, Allocator<char>>;
  std::vector<string, NestedAllocator<string>> strings{
      NestedAllocator<string>(Allocator<string>(source))};
  for (int i = 0; i < 50; ++i) strings.emplace_back(static_cast<std::size_t>(i), 'x');
  for (int i = 0; i < 50; ++i) {
    const string& text = strings[static_cast<std::size_t>(i)];
    mallard_test::require(text.size() == static_cast<std::size_t>(i), "a string has a wrong size");
    mallard_test::require(text.get_allocator() == Allocator<char>(source),
                          "a nested string uses another resource");
  }
}

// The type-parameter binding.
template <class Resource>
struct bound_to {
  template <class T>
  using allocator = mallard::allocator<T, Resource>;
  template <class T>
  using scoped = std::scoped_allocator_adaptor<allocator<T>>;
};

template <class Resource>
void use_containers_with_types(Resource& resource) {
  using bound = bound_to<Resource>;
  use_containers<bound::template allocator, bound::template scoped>(&resource);
}

// The abstract base binding.
inline void use_containers_polymorphically(std::pmr::memory_resource& resource) {
  use_containers<std::pmr::polymorphic_allocator, std::pmr::polymorphic_allocator>(&resource);
}

}  // namespace conformance
