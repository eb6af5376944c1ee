// Element types of vectors and lists filled from the back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mallard::lab {

// The original's element: an int with a copying constructor, which also serves as the move.
class wrapped_int {
 public:
  explicit wrapped_int(int value = 0) : value_(value) {}
  wrapped_int(const wrapped_int& other) : value_(other.value_) {}
  wrapped_int& operator=(const wrapped_int& other) {
    value_ = other.value_;
    return *this;
  }
  int value() const { return value_; }

 private:
  int value_;
};

// May be moved as bytes.
struct pod64 {
  std::uint64_t words[8];
};

template <class T>
struct element;

template <>
struct element<wrapped_int> {
  static wrapped_int make(std::uint64_t i) { return wrapped_int(static_cast<int>(i)); }
  static std::uint64_t read(const wrapped_int& one) {
    return static_cast<std::uint64_t>(one.value());
  }
};

template <>
struct element<pod64> {
  static pod64 make(std::uint64_t i) { return {{i, i, i, i, i, i, i, i}}; }
  static std::uint64_t read(const pod64& one) { return one.words[0] + one.words[7]; }
};

// Short strings without memory of their own: a move is more than a copy of bytes.
template <>
struct element<std::string> {
  static std::string make(std::uint64_t i) {
    return std::string(8, static_cast<char>('a' + i % 16));
  }
  static std::uint64_t read(const std::string& one) {
    return one.size() * 256 + static_cast<unsigned char>(one.back());
  }
};

}  // namespace mallard::lab
