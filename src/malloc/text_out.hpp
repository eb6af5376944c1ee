// Purpose: writes text, numbers and addresses, a buffer at a time, without allocating.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/uncancelled.hpp"
#include "malloc/file_signals.hpp"

namespace mallard::inline v1::detail {

class text_out {
 public:
  using writer = void (*)(void* context, const char* text, std::size_t bytes);

  text_out(writer write, void* context) noexcept : write_(write), context_(context) {}
  ~text_out() { flush(); }
  text_out(const text_out&) = delete;
  text_out& operator=(const text_out&) = delete;

  text_out& operator<<(const char* text) noexcept {
    add(text, std::strlen(text));
    return *this;
  }
  text_out& operator<<(std::size_t number) noexcept { return add_digits(number, 10); }
  text_out& operator<<(const void* address) noexcept { return hexadecimal(address_of(address)); }
  // With "0x" before it.
  text_out& hexadecimal(std::uint64_t number) noexcept {
    return (*this << "0x").add_digits(number, 16);
  }

  void flush() noexcept {
    if (used_ != 0) write_(context_, buffer_.data(), used_);
    used_ = 0;
  }

 private:
  text_out& add_digits(std::uint64_t number, unsigned base) noexcept {
    std::array<char, 20> digits;
    std::size_t begin = digits.size();
    do digits[--begin] = "0123456789abcdef"[number % base];
    while ((number /= base) != 0);
    add(digits.data() + begin, digits.size() - begin);
    return *this;
  }
  void add(const char* text, std::size_t bytes) noexcept {
    if (bytes > buffer_.size() - used_) flush();
    if (bytes > buffer_.size()) return write_(context_, text, bytes);
    std::memcpy(buffer_.data() + used_, text, bytes);
    used_ += bytes;
  }
  writer write_;
  void* context_;
  std::array<char, 1024> buffer_;
  std::size_t used_ = 0;
};

// Writes to the file descriptor that `context` points to. What cannot be written is lost.
inline void write_to_descriptor(void* context, const char* text, std::size_t bytes) noexcept {
  file_signals_held held;
  const int descriptor = *static_cast<int*>(context);
  while (bytes != 0) {
    const long written = os::write(descriptor, text, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return held.note(written < 0 ? errno : 0);
    text += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

// Writes to the standard error, short text in one write.
class error_text final : public text_out {
 public:
  error_text() noexcept : text_out(write_to_descriptor, &descriptor_) {}
  ~error_text() { flush(); }

 private:
  int descriptor_ = 2;
};

}  // namespace mallard::inline v1::detail
