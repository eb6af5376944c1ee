// The twelve data structures as container types, for one set of allocators and one mode.
#pragma once

#include <functional>
#include <memory>
#include <scoped_allocator>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "lab/kernels/hashes.hpp"

namespace mallard::lab {

// A set of allocators has `leaf<T>`, for containers of plain values, and `nested<T>`, for
// containers whose elements allocate and must get the same allocator.

// AS1: plain std:: containers.
struct global_allocators {
  template <class T>
  using leaf = std::allocator<T>;
  template <class T>
  using nested = std::allocator<T>;
};

// By type: `Allocator<T>` holds a pointer to a resource of known type.
template <template <class> class Allocator>
struct direct_allocators {
  template <class T>
  using leaf = Allocator<T>;
  template <class T>
  using nested = std::scoped_allocator_adaptor<Allocator<T>>;
};

// By abstract base: a polymorphic_allocator passes itself on to the elements it constructs.
template <template <class> class Polymorphic>
struct abstract_allocators {
  template <class T>
  using leaf = Polymorphic<T>;
  template <class T>
  using nested = Polymorphic<T>;
};

// Types that differ between the modes.
struct fair_mode {
  static constexpr bool paper = false;
  template <class String>
  using string_hash = fair_string_hash;
  using address_hash = fair_address_hash;
};
struct paper_mode {
  static constexpr bool paper = true;
  template <class String>
  using string_hash = std::conditional_t<std::is_same_v<String, std::string>,
                                         std::hash<std::string>, paper_string_hash>;
  using address_hash = paper_address_hash;
};

template <class Allocators, class Mode>
struct shapes {
  template <class T>
  using leaf = typename Allocators::template leaf<T>;
  template <class T>
  using nested = typename Allocators::template nested<T>;
  // A set of containers, distinguished by address.
  template <class T>
  using set_of = std::unordered_set<T, typename Mode::address_hash, same_address, nested<T>>;

  using string = std::basic_string<char, std::char_traits<char>, leaf<char>>;
  using string_hash = typename Mode::template string_hash<string>;

  using ds1 = std::vector<int, leaf<int>>;
  using ds2 = std::vector<string, nested<string>>;
  using ds3 = std::unordered_set<int, std::hash<int>, std::equal_to<int>, leaf<int>>;
  using ds4 = std::unordered_set<string, string_hash, std::equal_to<string>, nested<string>>;
  using ds5 = std::vector<ds1, nested<ds1>>;
  using ds6 = std::vector<ds2, nested<ds2>>;
  using ds7 = std::vector<ds3, nested<ds3>>;
  using ds8 = std::vector<ds4, nested<ds4>>;
  using ds9 = set_of<ds1>;
  using ds10 = set_of<ds2>;
  using ds11 = set_of<ds3>;
  using ds12 = set_of<ds4>;
};

}  // namespace mallard::lab
