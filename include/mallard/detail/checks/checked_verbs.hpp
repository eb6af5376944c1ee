// Purpose: the verbs beyond allocate and deallocate, under checks: blocks that grow, marks.
//
// Every block is the test_resource's, so that finds the same faults in it as in others. None grows
// or shrinks in place: that may be refused at any time, and code that does not expect it is found.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "mallard/blocks.hpp"
#include "mallard/checks/test_resource.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/resources/created_objects.hpp"

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

// A resource whose blocks can be asked to grow and shrink.
template <class R>
concept has_resizable_blocks = requires(R& r, void* p, std::size_t n) {
  r.try_expand(p, n, n, n);
  r.shrink(p, n, n, n);
};

// A mark of R under checks.
template <class R>
struct checked_marks {};
template <class R>
  requires requires(const R& r) { r.mark(); }
struct checked_marks<R> {
  struct mark_type {
    decltype(std::declval<const R&>().mark()) mark;
    std::uint64_t allocations;
    std::size_t made;
    const created_object* created;
  };
};

// The largest block of R that has a size class.
template <class R>
struct checked_limits {};
template <class R>
  requires requires { R::largest_pooled_bytes; }
struct checked_limits<R> {
  static constexpr std::size_t largest_pooled_bytes = R::largest_pooled_bytes;
};

// `Checked` has allocate, try_allocate, deallocate and checks(), and names what it inherits.
template <class Checked>
class checked_resizing {
 public:
  // Effects: reports a wrong `old`, or an address of no block; refuses what would move the end.
  std::size_t try_expand(void* p, std::size_t old, std::size_t minimum, std::size_t = 0) {
    const std::size_t bytes = bytes_of(p, old);
    return minimum <= bytes ? bytes : 0;
  }
  std::size_t shrink(void* p, std::size_t old, std::size_t maximum, std::size_t = 0) {
    const std::size_t bytes = bytes_of(p, old);
    return bytes <= maximum ? bytes : 0;
  }

 protected:
  // The block's size; 0 after a report. An `old` of 0 means that the caller does not know it, as
  // the containers of expandable_allocator.
  std::size_t bytes_of(const void* p, std::size_t old) const {
    const test_resource& checks = static_cast<const Checked&>(*this).checks();
    const test_block known = checks.block_of(p);
    const bool is_block = known.block == p && p != nullptr;
    if (is_block && (old == 0 || known.bytes == old)) return known.bytes;
    test_report r;
    r.fault = is_block ? test_fault::wrong_size : test_fault::foreign_pointer;
    r.block = p;
    r.resource = checks.name();
    r.serial = is_block ? known.serial : std::numeric_limits<std::uint64_t>::max();
    r.bytes = old;
    r.expected_bytes = known.bytes;
    r.alignment = r.expected_alignment = known.alignment;
    if (!is_block) r.inside = known.block;
    if (known.given != nullptr) r.given = *known.given;
    r.found = call_stack::capture();
    checks.report(r);
    return 0;
  }
};

template <class Checked>
class checked_heap_verbs : public checked_resizing<Checked> {
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

  // Effects: as those of every resource whose blocks grow.
  sized_block try_expand_backward(void* p, std::size_t old, std::size_t minimum, std::size_t,
                                  std::size_t) {
    const std::size_t bytes = bytes_of(p, old);
    return bytes != 0 && minimum <= bytes ? sized_block{p, bytes} : sized_block{nullptr, 0};
  }
  std::size_t shrinkable_to(void* p, std::size_t old, std::size_t maximum,
                            std::size_t = 0) const noexcept {
    const std::size_t bytes = bytes_of(p, old);
    return bytes <= maximum ? bytes : 0;
  }
  // Effects: always moves the bytes to another block.
  sized_block remap(void* p, std::size_t old, std::size_t bytes) {
    old = bytes_of(p, old);
    if (old == 0) return {nullptr, 0};
    const std::size_t alignment = self().checks().block_of(p).alignment;
    void* const to = self().try_allocate(bytes, alignment);
    if (to == nullptr) return {nullptr, 0};
    std::memcpy(to, p, smaller(old, bytes));
    self().deallocate(p, old, alignment);
    return {to, bytes};
  }

 private:
  using checked_resizing<Checked>::bytes_of;

  Checked& self() noexcept { return static_cast<Checked&>(*this); }
};

struct no_more_verbs {};

template <class Checked, class R>
using checked_verbs = std::conditional_t<
    has_expandable_blocks<R>, checked_heap_verbs<Checked>,
    std::conditional_t<has_resizable_blocks<R>, checked_resizing<Checked>, no_more_verbs>>;

}  // namespace mallard::inline v1::detail
