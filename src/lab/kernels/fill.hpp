// Builds one data structure and touches its elements: the timed work.
#pragma once

#include <concepts>
#include <cstring>
#include <random>
#include <utility>

#include "lab/kernels/barrier.hpp"
#include "lab/kernels/container_work.hpp"
#include "lab/kernels/shapes.hpp"
#include "lab/measuring/structures.hpp"

namespace mallard::lab {

template <class C>
concept vector_like = requires(C& container) {
  container.back();
  container.reserve(1);
};
template <class T>
concept string_like = requires(const T& text) { text.c_str(); };

// Reads and writes each leaf once. Returns: its part of the checksum. `zero` is 0, unknown to the
// compiler: elements of sets are const and must keep their hashed value.
inline std::uint64_t touch(const int& leaf, int zero) {
  int& value = const_cast<int&>(leaf);
  value += zero;
  return static_cast<std::uint64_t>(value);
}
template <string_like String>
std::uint64_t touch(const String& leaf, int zero) {
  char& first = const_cast<char&>(*leaf.data());
  first = static_cast<char>(first + zero);
  return leaf.size() * 256 + static_cast<unsigned char>(first);
}
template <class Container>
  requires(!string_like<Container>)
std::uint64_t touch(const Container& inner, int zero) {
  std::uint64_t sum = 0;
  for (const auto& leaf : inner) sum += touch(leaf, zero);
  return sum;
}

// The original's light use: memset of four bytes, only in DS1 and DS2.
template <class T>
void overwrite(T* first) {
  std::memset(first, 0xff, 4);
  consume_memory(first);
}

struct piece {
  const char* begin;
  std::uint32_t length;
};

template <class Mode>
piece next_string(container_work& job) {
  constexpr std::uint32_t starts = text_bytes - max_string + 1;
  if constexpr (Mode::paper) {
    const auto draw = [&](std::uint32_t low, std::uint32_t high) {
      return std::uniform_int_distribution<std::uint32_t>(low, high)(job.paper_random);
    };
    const std::uint32_t start = draw(0, starts - 1);
    return {job.text + start, draw(min_string, max_string)};
  } else {
    const std::uint64_t bits = job.random.next();
    const std::uint32_t start = random_stream::scale(bits >> 32, starts);
    return {job.text + start,
            min_string + random_stream::scale(bits & 0xffffffff, max_string - min_string + 1)};
  }
}

// Adds one element. Returns: its address (in a set, that of an equal element).
template <class Container, class... Args>
const typename Container::value_type* add(Container& container, Args&&... args) {
  if constexpr (vector_like<Container>) {
    return &container.emplace_back(std::forward<Args>(args)...);
  } else {
    return &*container.emplace(std::forward<Args>(args)...).first;
  }
}

// The element to copy: the newest of a vector, any one of a set.
template <class Container>
const typename Container::value_type& newest(Container& container) {
  if constexpr (vector_like<Container>) {
    return container.back();
  } else {
    return *container.begin();
  }
}

// DS1 to DS4: `count` leaves.
template <class Mode, class Container>
void fill_leaves(Container& container, std::uint64_t count, container_work& job) {
  using leaf = typename Container::value_type;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const leaf* added;
    if constexpr (std::same_as<leaf, int>) {
      added = add(container, static_cast<int>(i));
    } else {
      piece text = next_string<Mode>(job);
      forget_value(text.length);  // otherwise the visible range affects how copies are compiled
      added = add(container, text.begin, text.length);
    }
    if constexpr (!Mode::paper) {
      renew(const_cast<leaf&>(*added));  // otherwise touching might be merged into the construction
      sum += touch(*added, job.zero);
    } else if constexpr (std::same_as<leaf, int> && vector_like<Container>) {
      overwrite(const_cast<int*>(added));
    } else if constexpr (vector_like<Container>) {
      overwrite(const_cast<char*>(added->data()));
    }
  }
  job.checksum += sum;
}

// The container of which every element of DS5 to DS12 is a copy.
template <class Mode, class Inner>
Inner make_prototype(const typename Inner::allocator_type& allocator, container_work& job) {
  if constexpr (std::same_as<typename Inner::value_type, int> && vector_like<Inner>) {
    return Inner(inner_elements, 1, allocator);
  } else {
    Inner inner(allocator);
    inner.reserve(inner_elements);
    fill_leaves<Mode>(inner, inner_elements, job);
    return inner;
  }
}

// DS5 to DS12: the prototype, and copies up to `count` elements. The original adds `count` copies
// to the prototype, so that its outer vector grows once more; so does paper mode.
template <class Mode, class Container>
void fill_containers(Container& container, std::uint64_t count, container_work& job) {
  using inner = typename Container::value_type;
  const typename inner::allocator_type allocator(container.get_allocator());
  const inner* added = add(container, make_prototype<Mode, inner>(allocator, job));
  const std::uint64_t copies = Mode::paper ? count : count - 1;
  for (std::uint64_t i = 0;; ++i) {
    if constexpr (!Mode::paper) {
      consume_memory(added);
      job.checksum += touch(*added, job.zero);
    }
    if (i == copies) break;
    added = add(container, newest(container));
  }
}

// Not inlined, so that strategies with the same allocator type share the code.
template <class Mode, class Container>
[[gnu::noinline]] void fill(Container& container, container_work& job) {
  container.reserve(job.outer_elements);
  using element = typename Container::value_type;
  if constexpr (std::same_as<element, int> || string_like<element>) {
    fill_leaves<Mode>(container, job.outer_elements, job);
  } else {
    fill_containers<Mode>(container, job.outer_elements, job);
  }
  if constexpr (Mode::paper) job.checksum += container.size();
}

}  // namespace mallard::lab
