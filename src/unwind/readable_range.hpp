// Purpose: the part of a stack that is known to be readable. A wrong guess about a frame must not
// crash the program, so nothing is read before its page was tried.
#pragma once

#include <cstdint>

namespace mallard::unwind {

// Whether the word that `at` lies in can be read.
bool can_read(std::uint64_t at) noexcept;

class readable_range {
 public:
  // The stack that is in use: `sp` lies on it.
  void enter(std::uint64_t sp) noexcept {
    if (!has_read(sp)) [[unlikely]]
      enter_slowly(sp);
  }
  // Whether the word at `at`, above what is in use, can be read.
  bool has(std::uint64_t at) noexcept { return has_read(at) ? (at & 7) == 0 : try_page(at); }
  // The same as far as it is known.
  bool has_read(std::uint64_t at) const noexcept { return at - first_ < end_ - first_; }
  // Only where it can.
  static std::uint64_t load(std::uint64_t at) noexcept {
    return *reinterpret_cast<const std::uint64_t*>(at);
  }
  std::uint64_t end() const { return end_; }
  // Counts how often another stack was entered: while it is the same, the range has only grown.
  std::uint32_t entered() const { return entered_; }

 private:
  void enter_slowly(std::uint64_t sp) noexcept;
  bool try_page(std::uint64_t at) noexcept;

  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
  std::uint32_t entered_ = 0;
};

}  // namespace mallard::unwind
