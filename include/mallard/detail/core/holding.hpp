// Purpose: holds a lock for a scope, without a standard header, which the malloc could not link.
#pragma once

namespace mallard::inline v1::detail {

template <class Lock>
class [[nodiscard]] holding {
 public:
  explicit holding(Lock& lock) noexcept : lock_(lock) { lock_.lock(); }
  ~holding() { lock_.unlock(); }
  holding(const holding&) = delete;
  holding& operator=(const holding&) = delete;

 private:
  Lock& lock_;
};

// The lock of an object that only one thread uses.
struct no_lock {
  void lock() noexcept {}
  void unlock() noexcept {}
};

}  // namespace mallard::inline v1::detail
