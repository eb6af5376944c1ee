// "realloc": a vector as a user would write it for elements that may be moved as bytes.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/kernels/growth.hpp"

namespace mallard::lab {

// Grows by 8/5, as Boost's vectors do.
template <class T>
class realloc_vector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  explicit realloc_vector(call_counts* counts = nullptr) : counts_(counts) {}
  ~realloc_vector() { std::free(data_); }
  realloc_vector(realloc_vector&& other) noexcept
      : counts_(other.counts_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  realloc_vector& operator=(realloc_vector&&) = delete;

  void push_back(const T& one) {
    if (size_ == capacity_) grow();
    ::new (static_cast<void*>(data_ + size_)) T(one);
    ++size_;
  }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T& back() const { return data_[size_ - 1]; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }

 private:
  [[gnu::noinline]] void grow() {
    const std::size_t more = capacity_ + 1 > capacity_ * 8 / 5 ? capacity_ + 1 : capacity_ * 8 / 5;
    T* const now = static_cast<T*>(std::realloc(data_, more * sizeof(T)));
    if (now == nullptr) throw std::bad_alloc();
    if (counts_ != nullptr) {
      ++counts_->allocations;
      const bool tries = data_ != nullptr && size_ * sizeof(T) >= counts_->counted_from;
      counts_->tried += tries;
      counts_->done += tries && now == data_;
    }
    data_ = now;
    capacity_ = more;
  }

  call_counts* counts_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

inline void run_realloc_growth(const growth_work& work, readings& taken) {
  using vector = realloc_vector<pod64>;
  const auto pass = [&](call_counts* counts, std::uint64_t iterations) {
    return work.form == growth_form::among ? grow_among<vector>(counts, iterations, work.elements)
                                           : grow_alone<vector>(counts, iterations, work.elements);
  };
  add_growth(taken, pass(nullptr, work.iterations));
  call_counts counts;
  counts.counted_from = work.form == growth_form::among ? large_array_bytes : 0;
  const std::uint64_t iterations = counted_iterations(work);
  pass(&counts, iterations);
  add_calls(taken, work, counts, iterations);
}

}  // namespace mallard::lab
