// A lock around a pool that knows nothing of threads: what one would write oneself.
#pragma once

#include <cstddef>
#include <mutex>

namespace mallard::lab {

template <class Family>
class locked_pool {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) {
    const std::scoped_lock lock(mutex_);
    return pool_.allocate(bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    const std::scoped_lock lock(mutex_);
    pool_.deallocate(p, bytes, alignment);
  }

 private:
  std::mutex mutex_;
  typename Family::multipool pool_;
};

}  // namespace mallard::lab
