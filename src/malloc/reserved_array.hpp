// Purpose: an array that grows in place, in addresses reserved for its largest size. Parts that
// were never used have no memory behind them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {

// For trivial types. Takes no lock.
template <class T>
class reserved_array {
 public:
  // False when there is no memory.
  bool open(std::size_t most) noexcept {
    if (begin_ != nullptr) return true;
    begin_ = static_cast<T*>(os::reserve(round_up(most * sizeof(T), step_bytes)));
    most_ = begin_ == nullptr ? 0 : most;
    return begin_ != nullptr;
  }
  std::size_t size() const noexcept { return size_; }
  // Adds so many, all zero. Null when there is no room or no memory.
  T* add(std::size_t count) noexcept {
    if (count > most_ - size_) return nullptr;
    const std::size_t needed = (size_ + count) * sizeof(T);
    if (needed > usable_bytes_) {
      const std::size_t more = round_up(needed - usable_bytes_, step_bytes);
      if (!os::commit(reinterpret_cast<std::byte*>(begin_) + usable_bytes_, more)) return nullptr;
      usable_bytes_ += more;
    }
    T* const first = begin_ + size_;
    size_ += count;
    return first;
  }
  T& operator[](std::size_t i) noexcept { return begin_[i]; }
  const T* data() const noexcept { return begin_; }

 private:
  static constexpr std::size_t step_bytes = std::size_t{64} << 10;

  T* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t most_ = 0;
  std::size_t usable_bytes_ = 0;
};

}  // namespace mallard::inline v1::detail
