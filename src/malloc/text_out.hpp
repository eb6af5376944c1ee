// Purpose: text and numbers, a buffer at a time, without allocating.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

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
  text_out& operator<<(std::size_t number) noexcept {
    std::array<char, 20> digits;
    std::size_t begin = digits.size();
    do {
      digits[--begin] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    add(digits.data() + begin, digits.size() - begin);
    return *this;
  }

  void flush() noexcept {
    if (used_ != 0) write_(context_, buffer_.data(), used_);
    used_ = 0;
  }

 private:
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

}  // namespace mallard::inline v1::detail
