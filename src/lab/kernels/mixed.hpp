// Live blocks of all sizes, of which random ones are freed and replaced.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <vector>

#include "lab/kernels/extended_work.hpp"
#include "lab/kernels/resizing.hpp"
#include "lab/measuring/meters.hpp"
#include "lab/measuring/random.hpp"
#include "mallard/heap.hpp"

namespace mallard::lab {

// A heap has `allocate(bytes)`, and a deallocation with the size.
struct operator_new_heap {
  void* allocate(std::size_t bytes) { return ::operator new(bytes); }
  void deallocate(void* p, std::size_t bytes) noexcept { ::operator delete(p, bytes); }
};

// Sizes with uniformly distributed logarithms, drawn before the clock starts.
class log_uniform_sizes {
 public:
  log_uniform_sizes(std::uint64_t low, std::uint64_t high, std::uint64_t seed) {
    random_stream random(seed);
    const double span = std::log(static_cast<double>(high) / static_cast<double>(low));
    for (std::uint32_t& one : sizes_) {
      const double share = std::ldexp(static_cast<double>(random.next() >> 11), -53);
      one = static_cast<std::uint32_t>(static_cast<double>(low) * std::exp(share * span));
    }
  }
  std::uint32_t pick(std::uint64_t random) const { return sizes_[random % sizes_.size()]; }

 private:
  std::array<std::uint32_t, 8192> sizes_;
};

struct sized_pointer {
  void* p = nullptr;
  std::uint32_t bytes = 0;
};

template <class Heap>
void run_mixed(const mixed_work& work, readings& taken) {
  const log_uniform_sizes sizes(work.low, work.high, work.seed);
  random_stream random(work.seed + 1);
  std::vector<sized_pointer> live(work.live);
  Heap heap;
  std::uint64_t checksum = 0;
  const auto replace = [&](sized_pointer& one, std::uint64_t bits) {
    if (one.p != nullptr) {
      checksum += *static_cast<const unsigned char*>(one.p) + one.bytes;
      heap.deallocate(one.p, one.bytes);
      one.p = nullptr;  // in case the next line throws
    }
    one.bytes = sizes.pick(bits);
    one.p = heap.allocate(one.bytes);
    touch_pages(one.p, 0, one.bytes);
  };
  const double start = read_thread_seconds();
  for (sized_pointer& one : live) replace(one, random.next());
  for (std::uint64_t i = 0; i < work.operations; ++i) {
    const std::uint64_t bits = random.next();
    replace(live[random_stream::scale(bits >> 32, static_cast<std::uint32_t>(work.live))], bits);
  }
  for (const sized_pointer& one : live) heap.deallocate(one.p, one.bytes);
  taken.add("time", read_thread_seconds() - start);
  taken.checksum = checksum;
}

}  // namespace mallard::lab
