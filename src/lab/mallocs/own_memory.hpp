// A kernel's own memory, separate from what it measures: tables, counters, stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace mallard::lab {

// A range of addresses, mapped once and handed out from the front. Nothing comes from malloc, and
// addresses tell it apart from malloc's memory.
class own_memory {
 public:
  // Throws std::bad_alloc if there are not enough addresses.
  explicit own_memory(std::size_t bytes = std::size_t{16} << 30);
  ~own_memory();
  own_memory(const own_memory&) = delete;
  own_memory& operator=(const own_memory&) = delete;

  // Objects on cache lines of their own, constructed here, in resident pages.
  template <class T>
  std::span<T> make(std::size_t count) {
    auto* const first = static_cast<T*>(take(count * sizeof(T), true));
    for (std::size_t i = 0; i < count; ++i) new (first + i) T();
    return {first, count};
  }

  // Whole pages that become resident at their first use.
  std::span<std::byte> make_stack(std::size_t bytes);

  const std::byte* begin() const { return start_; }
  const std::byte* end() const { return start_ + size_; }

  // The resident part, in bytes.
  std::uint64_t resident_bytes() const;

 private:
  void* take(std::size_t bytes, bool touch);

  std::byte* start_;
  std::size_t size_;
  std::size_t used_ = 0;
};

}  // namespace mallard::lab
