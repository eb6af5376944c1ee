// Purpose: what a heap has beyond allocate and deallocate, under checks: blocks that grow, bursts.
//
// Every block is one of the test_resource's, so all is found that is found elsewhere. None grows or
// shrinks where it is: that may be refused at any time, and code that does not look is found.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <unordered_set>

#include "mallard/checks/test_resource.hpp"
#include "mallard/detail/core/block_chain.hpp"
#include "mallard/detail/core/sized_block.hpp"
#include "mallard/detail/failure.hpp"

namespace mallard::inline v1::detail {

template <class R>
concept has_expandable_blocks = requires(R& r, void* p, std::size_t n) {
  r.allocate_expandable(n, n, n);
  r.deallocate_expandable(p);
};
template <class R>
concept has_bursts = requires(R& r, std::size_t n) {
  { r.allocate_many(n, n, n) } -> std::same_as<block_chain>;
};

// Blocks that were given for a chain: smaller ones than its link are made as large.
class linked_blocks {
 public:
  static constexpr std::size_t link_bytes = sizeof(void*);

  // Effects: all or none; block `i` has size_of(i) bytes.
  template <class Checked, class SizeOf>
  block_chain allocate_many(Checked& from, std::size_t count, SizeOf size_of,
                            std::size_t alignment) {
    block_chain chain;
    on_failure give_back([&] {
      for (std::size_t i = 0; !chain.empty(); ++i) {
        from.deallocate(chain.pop_front(), size_of(i), alignment);
      }
    });
    while (chain.size() < count) {
      const std::size_t bytes = size_of(chain.size());
      void* const p = from.allocate(std::max(bytes, link_bytes), alignment);
      if (bytes < link_bytes) remember(from, p, alignment);
      chain.push_back(p);
    }
    give_back.succeeded();
    return chain;
  }
  // Returns: the size by which the test_resource knows the block, which goes back.
  std::size_t real_bytes(const void* p, std::size_t bytes) {
    if (bytes >= link_bytes) return bytes;
    const std::lock_guard hold(lock_);
    return widened_.erase(p) != 0 ? link_bytes : bytes;
  }
  void forget() {
    const std::lock_guard hold(lock_);
    widened_.clear();
  }

 private:
  template <class Checked>
  void remember(Checked& from, void* p, std::size_t alignment) {
    on_failure give_back([&] { from.deallocate(p, link_bytes, alignment); });
    const std::lock_guard hold(lock_);
    widened_.insert(p);
    give_back.succeeded();
  }

  std::mutex lock_;
  std::unordered_set<const void*> widened_;
};

// `Checked` has allocate, try_allocate, deallocate and checks(), and says what it inherits by name.
template <class Checked>
class checked_heap_verbs {
 public:
  // Effects and errors: as the heap's; the real size is the one asked for.
  sized_block allocate_at_least(std::size_t bytes,
                                std::size_t alignment = alignof(std::max_align_t)) {
    return {self().allocate(bytes, alignment), bytes};
  }
  sized_block allocate_expandable(std::size_t minimum, std::size_t,
                                  std::size_t alignment = alignof(std::max_align_t)) {
    return {self().allocate(minimum, alignment), minimum};
  }
  sized_block try_allocate_expandable(std::size_t minimum, std::size_t,
                                      std::size_t alignment = alignof(std::max_align_t)) noexcept {
    void* const p = self().try_allocate(minimum, alignment);
    return {p, p != nullptr ? minimum : 0};
  }
  void deallocate_expandable(void* p) {
    const test_block known = self().checks().block_of(p);
    self().deallocate(p, known.bytes, known.alignment);  // what is not known is reported there
  }

  // Effects: reports a wrong `old`, or a block that is none; refuses what would move the end.
  std::size_t try_expand(void* p, std::size_t old, std::size_t minimum, std::size_t = 0) {
    return is_known(p, old) && minimum <= old ? old : 0;
  }
  sized_block try_expand_backward(void* p, std::size_t old, std::size_t minimum, std::size_t,
                                  std::size_t) {
    return is_known(p, old) && minimum <= old ? sized_block{p, old} : sized_block{nullptr, 0};
  }
  std::size_t shrink(void* p, std::size_t old, std::size_t maximum, std::size_t = 0) {
    return is_known(p, old) && old <= maximum ? old : 0;
  }
  std::size_t shrinkable_to(void* p, std::size_t old, std::size_t maximum,
                            std::size_t = 0) const noexcept {
    return p != nullptr && old <= maximum ? old : 0;
  }
  // Effects: the bytes go to another block, always.
  sized_block remap(void* p, std::size_t old, std::size_t bytes) {
    if (!is_known(p, old)) return {nullptr, 0};
    const std::size_t alignment = self().checks().block_of(p).alignment;
    void* const to = self().try_allocate(bytes, alignment);
    if (to == nullptr) return {nullptr, 0};
    std::memcpy(to, p, std::min(old, bytes));
    self().deallocate(p, old, alignment);
    return {to, bytes};
  }

 private:
  Checked& self() noexcept { return static_cast<Checked&>(*this); }

  bool is_known(void* p, std::size_t bytes) {
    const test_block known = self().checks().block_of(p);
    const bool is_block = known.block == p && p != nullptr;
    if (is_block && known.bytes == bytes) return true;
    test_report r;
    r.fault = is_block ? test_fault::wrong_size : test_fault::foreign_pointer;
    r.block = p;
    r.resource = self().checks().name();
    r.serial = is_block ? known.serial : std::numeric_limits<std::uint64_t>::max();
    r.bytes = bytes;
    r.expected_bytes = known.bytes;
    r.alignment = r.expected_alignment = known.alignment;
    if (!is_block) r.inside = known.block;
    if (known.given != nullptr) r.given = *known.given;
    r.found = call_stack::capture();
    self().checks().report(r);
    return false;
  }
};

struct no_heap_verbs {};
struct no_linked_blocks {
  std::size_t real_bytes(const void*, std::size_t bytes) const noexcept { return bytes; }
  void forget() const noexcept {}
};

}  // namespace mallard::inline v1::detail
