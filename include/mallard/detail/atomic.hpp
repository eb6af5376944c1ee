// Purpose: the operations of std::atomic that headers need, without <atomic>, which would be most
// of the cost of compiling a resource's header.
#pragma once

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

enum class order : int {
  relaxed = __ATOMIC_RELAXED,
  acquire = __ATOMIC_ACQUIRE,
  release = __ATOMIC_RELEASE,
  seq_cst = __ATOMIC_SEQ_CST,
};

// `Order` is `order` or std's memory_order; both are constants once inlined.
template <class T>
class atomic {
 public:
  constexpr atomic() noexcept = default;
  constexpr atomic(T value) noexcept : value_(value) {}  // NOLINT: implicit, as std's
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  template <class Order>
  MALLARD_ALWAYS_INLINE T load(Order order) const noexcept {
    return __atomic_load_n(&value_, static_cast<int>(order));
  }
  template <class Order>
  MALLARD_ALWAYS_INLINE void store(T value, Order order) noexcept {
    __atomic_store_n(&value_, value, static_cast<int>(order));
  }
  template <class Order>
  MALLARD_ALWAYS_INLINE T exchange(T value, Order order) noexcept {
    return __atomic_exchange_n(&value_, value, static_cast<int>(order));
  }
  template <class Order>
  MALLARD_ALWAYS_INLINE T fetch_add(T more, Order order) noexcept {
    return __atomic_fetch_add(&value_, more, static_cast<int>(order));
  }
  template <class Order>
  MALLARD_ALWAYS_INLINE T fetch_sub(T less, Order order) noexcept {
    return __atomic_fetch_sub(&value_, less, static_cast<int>(order));
  }
  template <class Order>
  MALLARD_ALWAYS_INLINE T fetch_or(T bits, Order order) noexcept {
    return __atomic_fetch_or(&value_, bits, static_cast<int>(order));
  }
  template <class Order>
  MALLARD_ALWAYS_INLINE T fetch_and(T bits, Order order) noexcept {
    return __atomic_fetch_and(&value_, bits, static_cast<int>(order));
  }
  template <class Order>
  MALLARD_ALWAYS_INLINE bool compare_exchange_weak(T& expected, T value, Order success,
                                                   Order failure) noexcept {
    return __atomic_compare_exchange_n(&value_, &expected, value, true, static_cast<int>(success),
                                       static_cast<int>(failure));
  }

  template <class Order>
  MALLARD_ALWAYS_INLINE bool compare_exchange_strong(T& expected, T value, Order order) noexcept {
    return __atomic_compare_exchange_n(&value_, &expected, value, false, static_cast<int>(order),
                                       __ATOMIC_ACQUIRE);
  }

 private:
  T value_{};
};

}  // namespace mallard::inline v1::detail
