// Numbers of few bytes where they are small: seven bits a byte, the lowest first, the last byte
// without its top bit. Signed numbers are folded first, so that small negative ones are short too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mallard::profile {

// The bytes cannot be a writer's.
struct malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

constexpr std::uint64_t fold(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unfold(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

// The difference of two numbers, as one that may be negative.
inline void put_difference(std::string& out, std::uint64_t value, std::uint64_t from) {
  put_varint(out, fold(static_cast<std::int64_t>(value - from)));
}

inline void put_text(std::string& out, std::string_view text) {
  put_varint(out, text.size());
  out.append(text);
}

// Reads what the functions above wrote; throws `malformed` at the end of the bytes.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes = {}) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  bool done() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  std::uint8_t byte() {
    if (at_ == end_) throw malformed("a record ends too early");
    return static_cast<std::uint8_t>(*at_++);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    throw malformed("a number is too long");
  }
  std::uint64_t difference(std::uint64_t from) {
    return from + static_cast<std::uint64_t>(unfold(varint()));
  }
  std::string_view text() { return bytes(varint()); }
  std::string_view bytes(std::uint64_t count) {
    if (count > left()) throw malformed("a record ends too early");
    const std::string_view out(at_, static_cast<std::size_t>(count));
    at_ += count;
    return out;
  }

 private:
  const char* at_;
  const char* end_;
};

}  // namespace mallard::profile
