// The hash functions of the measured sets, for both modes.
//
// libstdc++ stores the hash code in a node unless the hash function is known to be fast and is
// noexcept. Its std::hash of a std::string is marked slow, so std::string's sets store it. A user's
// hash functor for strings with another allocator is not, so each look-up of a bucket hashes some
// 500 bytes again. That, and not the allocator, is what the paper's DS4, DS8 and DS12 show. Fair
// mode gives every string type one functor, stored for all.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mallard::lab {

struct fair_string_hash {
  // Not noexcept on purpose: so libstdc++ stores the result.
  template <class String>
  std::size_t operator()(const String& text) const {
    return std::hash<std::string_view>{}({text.data(), text.size()});
  }
};

// All inner containers of a run are copies of one prototype, so the outer sets of DS9 to DS12
// distinguish elements by address. The address is mixed well, so that the number of collisions does
// not depend on a strategy's pattern of addresses.
struct fair_address_hash {
  template <class T>
  std::size_t operator()(const T& element) const noexcept {
    auto bits = std::bit_cast<std::uintptr_t>(&element);
    bits = (bits ^ (bits >> 32)) * 0x9e3779b97f4a7c15;
    return (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9 >> 7;
  }
};

struct same_address {
  template <class T>
  bool operator()(const T& left, const T& right) const noexcept {
    return &left == &right;
  }
};

// Paper mode: std::string gets the library's own hash, other string types one that is not stored.
struct paper_string_hash {
  template <class String>
  std::size_t operator()(const String& text) const noexcept {
    return std::hash<std::string_view>{}({text.data(), text.size()});
  }
};

struct paper_address_hash {
  template <class T>
  std::size_t operator()(const T& element) const noexcept {
    return 1048583 * (1 + std::bit_cast<std::uintptr_t>(&element));
  }
};

}  // namespace mallard::lab
