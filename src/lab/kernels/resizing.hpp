// One block that grows in steps, as by realloc.
//
// A `Growing` names the `heap` of all rounds, is constructed with the first size, and has
// `grow(bytes)` and `data()`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "lab/kernels/extended_work.hpp"
#include "lab/measuring/meters.hpp"
#include "mallard/heap.hpp"

namespace mallard::lab {

class c_block {
 public:
  struct heap {};
  c_block(heap&, std::size_t bytes) : data_(std::malloc(bytes)) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  ~c_block() { std::free(data_); }
  c_block(const c_block&) = delete;
  c_block& operator=(const c_block&) = delete;

  void* data() const { return data_; }
  void grow(std::size_t bytes) {
    void* const now = std::realloc(data_, bytes);
    if (now == nullptr) throw std::bad_alloc();
    data_ = now;
  }

 private:
  void* data_;
};

class heap_block {
 public:
  using heap = heap_resource;
  heap_block(heap& from, std::size_t bytes) : heap_(from), block_(from.allocate_at_least(bytes)) {}
  ~heap_block() { heap_.deallocate_expandable(block_.p); }
  heap_block(const heap_block&) = delete;
  heap_block& operator=(const heap_block&) = delete;

  void* data() const { return block_.p; }
  void grow(std::size_t bytes) {
    const sized_block now = heap_.remap(block_.p, block_.bytes, bytes);
    if (now.p == nullptr) throw std::bad_alloc();
    block_ = now;
  }

 private:
  heap& heap_;
  sized_block block_;
};

// Writes a byte of each page that the last step added.
inline void touch_pages(void* data, std::uint64_t from, std::uint64_t to) {
  constexpr std::uint64_t page = 4096;
  auto* bytes = static_cast<volatile unsigned char*>(data);
  for (std::uint64_t at = (from + page - 1) / page * page; at < to; at += page) {
    bytes[at] = static_cast<unsigned char>(at / page);
  }
}

inline std::uint64_t next_size(const realloc_work& work, std::uint64_t bytes) {
  const std::uint64_t next =
      work.percent > 0 ? bytes * work.percent / 100 : bytes + work.step_bytes;
  return std::min(next, work.final_bytes);
}

// Steps that add bytes start with one step, others with a page.
inline std::uint64_t first_size(const realloc_work& work) {
  return std::min(work.percent > 0 ? 4096 : work.step_bytes, work.final_bytes);
}

template <class Growing>
void run_realloc(const realloc_work& work, readings& taken) {
  std::uint64_t steps = 0;
  std::uint64_t moved = 0;
  const double start = read_thread_seconds();
  typename Growing::heap heap;
  for (std::uint64_t round = 0; round < work.rounds; ++round) {
    std::uint64_t bytes = first_size(work);
    Growing block(heap, bytes);
    touch_pages(block.data(), 0, bytes);
    while (bytes < work.final_bytes) {
      const void* const before = block.data();
      const std::uint64_t larger = next_size(work, bytes);
      block.grow(larger);
      touch_pages(block.data(), bytes, larger);
      bytes = larger;
      ++steps;
      moved += block.data() != before;
    }
    const auto* content = static_cast<const unsigned char*>(block.data());
    for (std::uint64_t at = 0; at < bytes; at += 1 << 16) {
      taken.checksum = taken.checksum * 31 + content[at];
    }
  }
  taken.add("time", read_thread_seconds() - start);
  const auto rounds = static_cast<double>(work.rounds);
  taken.add("moved", static_cast<double>(moved) / rounds);
  if (steps > 0) {
    taken.add("success", 1 - static_cast<double>(moved) / static_cast<double>(steps));
  }
}

}  // namespace mallard::lab
