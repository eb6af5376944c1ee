// Purpose: the growing blocks of a heap that many threads use, under one lock, which is not held
// during calls to upstream.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <mutex>

#include "mallard/blocks.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/growing_blocks.hpp"
#include "mallard/detail/resources/thread_heaps.hpp"

namespace mallard::inline v1::detail {

class MALLARD_API locked_blocks {
 public:
  // Upstream and the lock are those of `heaps`; the lock is held across a fork.
  explicit locked_blocks(thread_heaps& heaps) noexcept
      : blocks_(heaps.source()), lock_(heaps.large_blocks_lock()) {
    heaps.set_large_blocks(*this);
  }

  // Calls `what(growing_blocks&)` under the lock; it must not call upstream.
  template <class Do>
  auto with(Do&& what) {
    const std::lock_guard hold(lock_);
    return what(blocks_);
  }

  // As in growing_blocks.
  sized_block allocate(std::size_t bytes, std::size_t alignment, bool roomy) {
    std::unique_lock hold(lock_);
    void* p = blocks_.try_allocate(bytes, alignment, roomy);
    if (p == nullptr) {
      const std::size_t least = blocks_.segment_bytes_for(bytes, alignment);
      const std::size_t preferred = blocks_.next_segment_bytes();
      hold.unlock();
      const auto fresh = blocks_.get_segment(least, preferred);
      hold.lock();
      p = blocks_.add_and_allocate(fresh, bytes, alignment);
    }
    return {p, growing_blocks::payload_bytes(p)};
  }
  sized_block allocate_expandable(std::size_t minimum, std::size_t preferred,
                                  std::size_t alignment);

  std::size_t trim() noexcept {
    const auto empty = with([](growing_blocks& blocks) { return blocks.detach_empty(); });
    blocks_.give_back(empty);
    return empty.bytes;
  }

  // Requires that no other call is in flight.
  void release(bool forget) noexcept { blocks_.release(forget); }

 private:
  growing_blocks blocks_;
  std::mutex& lock_;
};

}  // namespace mallard::inline v1::detail
