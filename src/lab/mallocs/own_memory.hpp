// The memory that a kernel needs for itself, apart from what it measures: tables, counters, stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace mallard::lab {

// A range of addresses, mapped once, handed out from the front. Nothing comes from malloc, and all
// of it can be told from what malloc got, by its addresses.
class own_memory {
 public:
  // Throws std::bad_alloc when there are not that many addresses.
  explicit own_memory(std::size_t bytes = std::size_t{16} << 30);
  ~own_memory();
  own_memory(const own_memory&) = delete;
  own_memory& operator=(const own_memory&) = delete;

  // Objects on cache lines of their own, made here, in pages that are in memory already.
  template <class T>
  std::span<T> make(std::size_t count) {
    auto* const first = static_cast<T*>(take(count * sizeof(T), true));
    for (std::size_t i = 0; i < count; ++i) new (first + i) T();
    return {first, count};
  }

  // Whole pages that get memory when they are first used.
  std::span<std::byte> make_stack(std::size_t bytes);

  const std::byte* begin() const { return start_; }
  const std::byte* end() const { return start_ + size_; }

  // Bytes of it that are resident.
  std::uint64_t resident_bytes() const;

 private:
  void* take(std::size_t bytes, bool touch);

  std::byte* start_;
  std::size_t size_;
  std::size_t used_ = 0;
};

}  // namespace mallard::lab
