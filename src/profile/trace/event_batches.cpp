#include "profile/trace/event_batches.hpp"

#include <algorithm>

namespace mallard::profile {

event_batches::~event_batches() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool event_batches::fill(std::vector<recorded>& batch) {
  constexpr std::size_t few = 256;  // all that some traces have
  std::size_t have = 0;
  while (have < most) {
    if (have == batch.size()) batch.resize(std::min(most, std::max(few, 4 * have)));
    if (!events_.next(batch[have])) break;
    ++have;
  }
  batch.resize(have);
  return have == most;
}

std::span<recorded> event_batches::next() {
  if (!thread_.joinable() && filled_ == 0) {  // the thread writes filled_
    over_ = !fill(ring_[0]);
    filled_ = taken_ = 1;
    if (!over_) thread_ = std::thread([this] { decode(); });
    return ring_[0];
  }
  if (!thread_.joinable()) return {};
  std::unique_lock lock(mutex_);
  const std::size_t wanted = taken_++;  // and the batch before may be filled again
  changed_.notify_all();
  changed_.wait(lock, [&] { return filled_ > wanted || over_; });
  if (filled_ > wanted) return ring_[wanted % ring_.size()];
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return {};
}

void event_batches::decode() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    changed_.wait(lock, [&] { return filled_ - taken_ + 1 < ring_.size() || stop_; });
    if (stop_) return;
    lock.unlock();
    bool more = false;
    std::exception_ptr failure;
    try {
      more = fill(ring_[filled_ % ring_.size()]);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    over_ = !more;
    if (!failure) ++filled_;
    changed_.notify_all();
  }
}

}  // namespace mallard::profile
