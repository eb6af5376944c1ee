// An allocator that counts containers' calls of another one. Counting runs in a pass of its own, so
// that it is in no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace mallard::lab {

// Boost's flags of an allocation command.
inline constexpr unsigned forward_command = 2;
inline constexpr unsigned backward_command = 4;
inline constexpr unsigned shrink_command = 8;

struct call_counts {
  unsigned capable_of = 0;         // commands that the allocator can perform
  std::uint64_t counted_from = 0;  // smaller arrays' growth is not counted as tried
  std::uint64_t allocations = 0;   // all calls
  std::uint64_t deallocations = 0;
  std::uint64_t tried = 0;  // to resize an array in place
  std::uint64_t done = 0;
};

template <class Allocator>
concept extended = requires { typename Allocator::version; } && Allocator::version::value == 2;

// Members common to both versions of allocators.
template <class Allocator>
class counting_arrays {
 public:
  using value_type = typename std::allocator_traits<Allocator>::value_type;
  using is_always_equal = std::false_type;

  counting_arrays(const Allocator& inner, call_counts* counts) : inner_(inner), counts_(counts) {}

  value_type* allocate(std::size_t n) {
    ++counts_->allocations;
    return inner_.allocate(n);
  }
  void deallocate(value_type* p, std::size_t n) {
    ++counts_->deallocations;
    inner_.deallocate(p, n);
  }

  const Allocator& inner() const { return inner_; }
  call_counts* counts() const { return counts_; }

 protected:
  Allocator inner_;
  call_counts* counts_;
};

// Counts calls of version 1.
template <class Allocator>
class counting : public counting_arrays<Allocator> {
  using base = counting_arrays<Allocator>;

 public:
  template <class U>
  struct rebind {
    using other = counting<typename std::allocator_traits<Allocator>::template rebind_alloc<U>>;
  };
  using base::base;
  template <class Other>
  counting(const counting<Other>& other) : base(Allocator(other.inner()), other.counts()) {}

  friend bool operator==(const counting& a, const counting& b) { return a.inner_ == b.inner_; }
};

// Counts calls of version 2: arrays that change their size, and nodes, alone and in chains.
template <extended Allocator>
class counting<Allocator> : public counting_arrays<Allocator> {
  using base = counting_arrays<Allocator>;
  using base::counts_;
  using base::inner_;

 public:
  using typename base::value_type;
  using pointer = value_type*;
  using size_type = std::size_t;
  using version = std::integral_constant<unsigned, 2>;
  using multiallocation_chain = typename Allocator::multiallocation_chain;
  template <class U>
  struct rebind {
    using other = counting<typename std::allocator_traits<Allocator>::template rebind_alloc<U>>;
  };
  using base::base;
  template <class Other>
  counting(const counting<Other>& other) : base(Allocator(other.inner()), other.counts()) {}

  pointer allocation_command(unsigned command, size_type limit, size_type& count, pointer& reuse) {
    ++counts_->allocations;
    const unsigned wanted = command & counts_->capable_of;
    const bool shrinks = (wanted & shrink_command) != 0;
    const bool expands = (wanted & (forward_command | backward_command)) != 0;
    // When a full array grows, it has one element less than it needs.
    const bool large = (limit - 1) * sizeof(value_type) >= counts_->counted_from;
    const bool tries = reuse != nullptr && (shrinks || (expands && large));
    counts_->tried += tries;
    const pointer result = inner_.allocation_command(command, limit, count, reuse);
    // Boost's allocators also clear `reuse` after shrinking.
    counts_->done += tries && result != nullptr && (shrinks || reuse != nullptr);
    return result;
  }
  pointer allocate_one() {
    ++counts_->allocations;
    return inner_.allocate_one();
  }
  void deallocate_one(pointer p) {
    ++counts_->deallocations;
    inner_.deallocate_one(p);
  }
  void allocate_individual(size_type n, multiallocation_chain& chain) {
    ++counts_->allocations;
    inner_.allocate_individual(n, chain);
  }
  void deallocate_individual(multiallocation_chain& chain) {
    ++counts_->deallocations;
    inner_.deallocate_individual(chain);
  }
  size_type max_size() const { return inner_.max_size(); }

  friend bool operator==(const counting& a, const counting& b) { return a.inner_ == b.inner_; }
};

template <class Allocator>
counting<Allocator> count_calls(const Allocator& inner, call_counts& counts) {
  return {inner, &counts};
}

}  // namespace mallard::lab
