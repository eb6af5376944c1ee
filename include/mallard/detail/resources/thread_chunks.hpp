// Purpose: a thread's magazines of small chunks, so that most requests take no lock: for each class
// a stack of up to 16 chunks, or 1 MiB. An empty one is filled up to half its depth from the shared
// level; a full one gives back its older half. Only its thread uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/resources/shared_chunks.hpp"

namespace mallard::inline v1::detail {

class thread_chunks {
 public:
  explicit thread_chunks(shared_chunks& shared) noexcept : shared_(shared) {}

  // Last in, first out: the warmest pages first. Throws std::bad_alloc.
  void* take(unsigned chunk_class) {
    if (counts_[chunk_class] == 0) [[unlikely]] {
      fill(chunk_class);
    }
    return chunks_[chunk_class][--counts_[chunk_class]];
  }

  void give(unsigned chunk_class, void* p) noexcept {
    if (counts_[chunk_class] == depths[chunk_class]) [[unlikely]] {
      spill(chunk_class, depths[chunk_class] / 2u);
    }
    chunks_[chunk_class][counts_[chunk_class]++] = p;
  }

  void flush() noexcept {
    for (unsigned c = 0; c < chunk_class_count; ++c) spill(c, counts_[c]);
  }

 private:
  static constexpr unsigned deepest = 16;
  static constexpr std::size_t bytes_per_class = std::size_t{1} << 20;

  static constexpr auto depths = [] {
    std::array<std::uint8_t, chunk_class_count> table{};
    for (unsigned c = 0; c < chunk_class_count; ++c) {
      const std::size_t fit = bytes_per_class / chunk_class_bytes(c);
      table[c] = static_cast<std::uint8_t>(fit < deepest ? fit : deepest);
    }
    return table;
  }();

  void fill(unsigned chunk_class);
  // Gives the oldest `count` chunks to the shared level.
  void spill(unsigned chunk_class, unsigned count) noexcept;

  shared_chunks& shared_;
  std::array<std::uint8_t, chunk_class_count> counts_{};
  std::array<std::array<void*, deepest>, chunk_class_count> chunks_;
};

}  // namespace mallard::inline v1::detail
