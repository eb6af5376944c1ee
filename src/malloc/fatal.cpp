#include "malloc/fatal.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/uncancelled.hpp"

namespace mallard::inline v1::detail {
namespace {

class line {
 public:
  void add(const char* text) noexcept {
    for (; *text != '\0' && length_ < sizeof text_ - 1; ++text) text_[length_++] = *text;
  }
  void add_address(const void* p) noexcept {
    char digits[19] = "0x";
    std::size_t length = 2;
    const std::uintptr_t value = address_of(p);
    for (int shift = 60; shift >= 0; shift -= 4) {
      const std::uintptr_t digit = value >> shift & 15;
      if (digit != 0 || length > 2 || shift == 0) digits[length++] = "0123456789abcdef"[digit];
    }
    digits[length] = '\0';
    add(digits);
  }
  void add_number(std::size_t n) noexcept {
    char digits[21];
    char* first = digits + sizeof digits - 1;
    *first = '\0';
    do *--first = "0123456789"[n % 10];
    while ((n /= 10) != 0);
    add(first);
  }
  void print() noexcept {
    text_[length_++] = '\n';
    os::write(STDERR_FILENO, text_, length_);
  }

 private:
  char text_[256];
  std::size_t length_ = 0;
};

}  // namespace

void fatal(const char* what, const void* where) noexcept {
  line out;
  out.add("mallard: ");
  out.add(what);
  out.add(": ");
  out.add_address(where);
  out.print();
  std::abort();
}

void fatal(const char* call, const char* what, const void* where) noexcept {
  line out;
  out.add("mallard: ");
  out.add(call);
  out.add(" of ");
  out.add(what);
  out.add(": ");
  out.add_address(where);
  out.print();
  std::abort();
}

void warn_size(const char* what, const void* where, std::size_t has, std::size_t said) noexcept {
  line out;
  out.add("mallard: ");
  out.add(what);
  out.add(": ");
  out.add_address(where);
  out.add(", ");
  out.add_number(has);
  out.add(" bytes, not ");
  out.add_number(said);
  out.print();
}

void warn(const char* what, const char* detail) noexcept {
  line out;
  out.add("mallard: ");
  out.add(what);
  out.add(detail);
  out.print();
}

}  // namespace mallard::inline v1::detail
